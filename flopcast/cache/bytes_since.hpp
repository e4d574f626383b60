#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace flopcast::cache {

/// Numbers of bytes by the time of their last access, with sums over the most recent times in O(log times): a Fenwick tree (Fenwick 1994)
/// used for LRU stack distances (Olken 1981).
class BytesSince {
 public:
  /// Constructs empty counts for the times 0 ... times-1.
  explicit BytesSince(std::size_t times) : tree_(times + 1, 0) {}

  /// Adds `bytes`, which may be negative, to the bytes last touched at `time`.
  void add(std::int64_t time, std::int64_t bytes) noexcept;
  /// Returns the bytes last touched at `time` or later.
  [[nodiscard]] std::int64_t since(std::int64_t time) const noexcept;
  /// Returns the smallest since(time) that exceeds `limit`, which is the sum at which a backward scan stops; total() if none exceeds it.
  [[nodiscard]] std::int64_t first_beyond(std::int64_t limit) const noexcept;
  /// Returns the number of all bytes touched.
  [[nodiscard]] std::int64_t total() const noexcept { return total_; }

 private:
  std::vector<std::int64_t> tree_;  // tree_[i] sums the times i - lowest_bit(i) ... i - 1
  std::int64_t total_ = 0;
};

}  // namespace flopcast::cache
