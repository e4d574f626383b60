#include "flopcast/cache/layout.hpp"

#include <algorithm>
#include <cassert>
#include <map>

namespace flopcast::cache {
namespace {

/// A space that may still grow, and the number of columns that each leading dimension addresses.
struct Draft {
  std::uintptr_t begin = 0, end = 0;
  std::map<std::int64_t, std::int64_t> columns_by_height;
};

/// Returns the draft that contains [begin, end): an existing one, or a new one that absorbs all drafts that it overlaps.
Draft& draft_of(std::map<std::uintptr_t, Draft>& drafts, std::uintptr_t begin, std::uintptr_t end) {
  auto after = drafts.upper_bound(begin);
  if (after != drafts.begin()) {
    Draft& before = std::prev(after)->second;
    if (end <= before.end) {
      return before;
    }
    if (begin < before.end) {
      --after;
    }
  }
  Draft joined{begin, end, {}};
  while (after != drafts.end() && after->second.begin < end) {
    joined.begin = std::min(joined.begin, after->second.begin);
    joined.end = std::max(joined.end, after->second.end);
    end = joined.end;
    for (const auto& [height, columns] : after->second.columns_by_height) {
      joined.columns_by_height[height] += columns;
    }
    after = drafts.erase(after);
  }
  return drafts[joined.begin] = joined;
}

std::int64_t most_frequent_height(const Draft& draft) {
  const auto most = std::max_element(draft.columns_by_height.begin(), draft.columns_by_height.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == draft.columns_by_height.end() ? static_cast<std::int64_t>(draft.end - draft.begin) : most->first;
}

}  // namespace

std::vector<Space> spaces(std::span<const Allocation> allocations, const Footprints& footprints) {
  std::map<std::uintptr_t, Draft> drafts;
  for (const Allocation& allocation : allocations) {
    if (allocation.bytes > 0) {
      draft_of(drafts, allocation.address, allocation.address + static_cast<std::uintptr_t>(allocation.bytes));
    }
  }
  for (std::size_t call = 0; call < footprints.calls(); ++call) {
    footprints.visit(call, [&](const Footprints::TouchedPart& part) {
      const Region& region = part.region;
      Draft& draft = draft_of(drafts, region.begin(), region.end());
      const std::int64_t height = region.stride_bytes + std::min<std::int64_t>(region.growth_bytes, 0);
      if (region.columns > 1 && height > 0) {
        draft.columns_by_height[height] += region.columns;
      }
    });
  }
  std::vector<Space> all;
  for (const auto& [begin, draft] : drafts) {
    all.push_back({draft.begin, draft.end, most_frequent_height(draft)});
  }
  return all;
}

std::size_t space_of(const std::vector<Space>& spaces, std::uintptr_t address) noexcept {
  const auto after =
      std::upper_bound(spaces.begin(), spaces.end(), address, [](std::uintptr_t a, const Space& space) { return a < space.begin; });
  assert(after != spaces.begin());
  return static_cast<std::size_t>(after - spaces.begin()) - 1;
}

}  // namespace flopcast::cache
