#include "flopcast/selective/path_counts.hpp"

#include <algorithm>

namespace flopcast::selective {

std::int64_t PathCounts::count(std::uint64_t kernel) const {
  const auto found = counts_.find(kernel);
  return found == counts_.end() ? 0 : found->second;
}

void PathCounts::replace(std::span<const KernelCount> counts) {
  counts_.clear();
  for (const KernelCount& each : counts) {
    counts_[each.kernel] = each.count;
  }
}

KernelCounts PathCounts::most_frequent(std::size_t max_counts) const {
  KernelCounts all;
  all.reserve(counts_.size());
  for (const auto& [kernel, count] : counts_) {
    all.push_back({kernel, count});
  }
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(max_counts, all.size()));
  std::partial_sort(all.begin(), end, all.end(), [](const KernelCount& a, const KernelCount& b) {
    return a.count != b.count ? a.count > b.count : a.kernel < b.kernel;
  });
  all.erase(end, all.end());
  return all;
}

}  // namespace flopcast::selective
