#include "flopcast/measure/placed_call.hpp"

#include <algorithm>
#include <map>

namespace flopcast::measure {
namespace {

/// The end of the touched memory in each allocation, by the index of the allocation.
using Extents = std::map<std::size_t, std::uintptr_t>;

void extend(Extents& extents, const Region& region) {
  if (!region.empty()) {
    const std::size_t allocation = (region.begin() >> 40U) - 1;
    std::uintptr_t& end = extents.try_emplace(allocation, virtual_base(allocation)).first->second;
    end = std::max(end, region.end());
  }
}

void extend(Extents& extents, const Call& call) {
  for (const Operand& operand : operands(call)) {
    for (const Region& part : operand.parts) {
      extend(extents, part);
    }
  }
}

bool has_call(Action::What what) {
  using What = Action::What;
  return what == What::fill || what == What::execute || what == What::perform || what == What::change;
}

}  // namespace

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

Call with_addresses(const Call& call) {
  Call placed = call;
  std::size_t k = 0;
  for (const Operand& operand : operands(call)) {
    if (placed.arguments[operand.argument] == 0) {
      placed.arguments[operand.argument] = static_cast<std::int64_t>(virtual_base(k));
    }
    ++k;
  }
  return placed;
}

std::vector<Allocation> memory_of(std::span<const Call> calls, std::span<const Action> actions) {
  Extents extents;
  for (const Call& call : calls) {
    extend(extents, call);
  }
  for (const Action& action : actions) {
    has_call(action.what) ? extend(extents, action.call) : extend(extents, action.region);
  }
  std::vector<Allocation> memory;
  for (const auto& [allocation, end] : extents) {
    const std::uintptr_t base = virtual_base(allocation);
    memory.push_back({"memory" + std::to_string(allocation), base, static_cast<std::int64_t>(end - base)});
  }
  return memory;
}

}  // namespace flopcast::measure
