#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "flopcast/contract/einsum/sum_tiles.hpp"

namespace flopcast::contract {

/// Positions in nested loops over tiles, and the offsets that belong to them. Allocates no memory.
class Odometer {
 public:
  static constexpr std::size_t max_loops = 64;

  /// Begins at repetition `first` of at most max_loops loops, innermost first.
  Odometer(const std::vector<SumLoop>& loops, std::int64_t first) : loops_(loops.data()), size_(loops.size()) {
    for (std::size_t i = 0; i < size_; ++i) {
      positions_[i] = first % loops_[i].count;
      first /= loops_[i].count;
      for (std::size_t t = 0; t < offsets_.size(); ++t) {
        offsets_[t] += positions_[i] * loops_[i].steps[t];
      }
    }
  }
  void next() {
    for (std::size_t i = 0; i < size_; ++i) {
      const SumLoop& loop = loops_[i];
      const bool wraps = ++positions_[i] == loop.count;
      const std::int64_t steps = wraps ? 1 - loop.count : 1;
      for (std::size_t t = 0; t < offsets_.size(); ++t) {
        offsets_[t] += steps * loop.steps[t];
      }
      if (!wraps) {
        return;
      }
      positions_[i] = 0;
    }
  }
  [[nodiscard]] std::int64_t offset(std::size_t t) const { return offsets_[t]; }
  /// Returns whether loop `number` is at its last block; a loop of -1 is a single block.
  [[nodiscard]] bool is_last(int number) const {
    return number < 0 || positions_[static_cast<std::size_t>(number)] + 1 == loops_[number].count;
  }
  /// Returns the number of a side's values in the current block.
  [[nodiscard]] std::int64_t length(const SumSide& side) const { return is_last(side.loop) ? side.last_length : side.length; }

 private:
  const SumLoop* loops_;
  std::size_t size_;
  std::array<std::int64_t, 3> offsets_{};
  std::array<std::int64_t, max_loops> positions_;  // the first `size_` are set
};

}  // namespace flopcast::contract
