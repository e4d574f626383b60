#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace flopcast::cache {

/// How many bytes were last touched at each time, with sums over the recent ones in O(log times): a Fenwick tree (Fenwick 1994) used for
/// LRU stack distances (Olken 1981).
class BytesSince {
 public:
  /// For the times 0 ... times-1.
  explicit BytesSince(std::size_t times) : tree_(times + 1, 0) {}

  /// Changes the bytes last touched at `time` by `bytes`, which may be negative.
  void add(std::int64_t time, std::int64_t bytes) noexcept;
  /// Bytes last touched at `time` or later.
  [[nodiscard]] std::int64_t since(std::int64_t time) const noexcept;
  /// The smallest since(time) that exceeds `limit`: what a backward scan has collected when it stops there. total() if none does.
  [[nodiscard]] std::int64_t first_beyond(std::int64_t limit) const noexcept;
  /// Bytes touched at all.
  [[nodiscard]] std::int64_t total() const noexcept { return total_; }

 private:
  std::vector<std::int64_t> tree_;  // tree_[i] sums the times i - lowest_bit(i) ... i - 1
  std::int64_t total_ = 0;
};

}  // namespace flopcast::cache
