#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>

#include "flopcast/support/page_allocator.hpp"

namespace flopcast::selective {

/// Number of times that a kernel lies on a path. The kernel is given by its key's hash, which is the same in every process. A plain record:
/// it travels in messages.
struct KernelCount {
  std::uint64_t kernel = 0;
  std::int64_t count = 0;
  friend bool operator==(const KernelCount&, const KernelCount&) = default;
};

using KernelCounts = PageVector<KernelCount>;

/// Counts of kernels along the path that leads to the present of one process, for policy online. A process that continues another's path
/// takes over its counts. Messages carry a bounded number of counts. A kernel that isn't among the most frequent ones counts as new, which
/// only makes its interval wider.
class PathCounts {
 public:
  void add(std::uint64_t kernel) { ++counts_[kernel]; }
  [[nodiscard]] std::int64_t count(std::uint64_t kernel) const;
  void replace(std::span<const KernelCount> counts);
  /// Returns at most `max_counts` of them, the greatest first.
  [[nodiscard]] KernelCounts most_frequent(std::size_t max_counts) const;

 private:
  using Count = std::pair<const std::uint64_t, std::int64_t>;
  std::unordered_map<std::uint64_t, std::int64_t, std::hash<std::uint64_t>, std::equal_to<>, PageAllocator<Count>> counts_;
};

}  // namespace flopcast::selective
