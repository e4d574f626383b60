#include "flopcast/measure/place_operands.hpp"

#include <algorithm>

namespace flopcast::measure {

void append_placing(std::vector<Action>& actions, std::vector<PlacedRegion> regions, int levels) {
  std::stable_sort(regions.begin(), regions.end(), [](const PlacedRegion& a, const PlacedRegion& b) {
    return a.state.level != b.state.level ? a.state.level > b.state.level : a.state.distance_bytes > b.state.distance_bytes;
  });
  auto next = regions.begin();
  for (; next != regions.end() && next->state.level >= levels; ++next) {
    actions.push_back({.what = Action::What::flush, .region = next->region});
  }
  while (next != regions.end()) {
    const auto level = next->state.level;
    for (; next != regions.end() && next->state.level == level; ++next) {
      actions.push_back({.what = next->state.dirty ? Action::What::write : Action::What::read, .region = next->region});
    }
    if (level > 0) {
      actions.push_back({.what = Action::What::evict, .level = level - 1});
    }
  }
}

}  // namespace flopcast::measure
