#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace flopcast::algorithm {

/// A range of neighbouring rows or columns, counted from 0.
struct Range {
  std::int64_t begin = 0;
  std::int64_t size = 0;

  [[nodiscard]] std::int64_t end() const noexcept { return begin + size; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// Returns the union of two ranges, of which the second begins where the first ends.
[[nodiscard]] inline Range join(const Range& first, const Range& second) { return {first.begin, first.size + second.size}; }

/// Ranges 0, 1 and 2 of the partition A00 ... A22 on which an algorithm takes a step: block 1 is the current one.
using Cut = std::array<Range, 3>;

/// The direction of an iteration along the diagonal.
enum class Direction {
  down,  ///< the top left first
  up,    ///< the bottom right first
};

/// The end of the diagonal that counts as its top left. Seen from the other end, an upper triangle is a lower one, the iteration runs in the
/// opposite direction, and ranges 0 and 2 of each cut change places.
enum class SeenFrom { begin, end };

/// Returns the boundaries of blocks of nb rows, end included: multiples of nb as in LAPACK, so that the last block may be short. n >= 0,
/// nb >= 1.
std::vector<std::int64_t> boundaries(std::int64_t n, std::int64_t nb);
/// Returns the cuts of an iteration over the blocks between `boundaries`.
std::vector<Cut> cuts(const std::vector<std::int64_t>& boundaries, Direction direction, SeenFrom seen = SeenFrom::begin);
/// Returns the cuts of an iteration over blocks of nb rows; the one at the bottom right may be short.
std::vector<Cut> cuts(std::int64_t n, std::int64_t nb, Direction direction, SeenFrom seen = SeenFrom::begin);

/// Returns the size of the first part in a recursion on n >= 2: half of n, rounded to a multiple of 8 from n = 16 on, which keeps kernels
/// aligned.
[[nodiscard]] inline std::int64_t first_half(std::int64_t n) { return n >= 16 ? (n + 8) / 16 * 8 : n / 2; }

/// The two parts of a recursion, in the order of the iteration.
struct Halves {
  Range first, second;
};
/// Divides `whole` after its first `size` rows in memory.
Halves divide(const Range& whole, std::int64_t size, SeenFrom seen = SeenFrom::begin);

}  // namespace flopcast::algorithm
