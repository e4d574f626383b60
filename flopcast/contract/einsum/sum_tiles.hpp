#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

/// How StridedSum goes through its tensors: pure functions of the dimensions.
namespace flopcast::contract {

/// Positions of A, B and the result in arrays of strides and offsets.
inline constexpr std::size_t in_a = 0, in_b = 1, in_c = 2;

/// A dimension of a sum: its number of values and its strides in elements in A, B and C.
struct SumDimension {
  std::int64_t extent = 1;
  std::array<std::int64_t, 3> strides{};
  bool is_summed = false;  ///< C has no such dimension
  friend bool operator==(const SumDimension&, const SumDimension&) = default;
};

/// A loop around the tiles, or around the runs of a sum.
struct SumLoop {
  std::int64_t count = 1;
  std::array<std::int64_t, 3> steps{};  ///< in A, B and C
  friend bool operator==(const SumLoop&, const SumLoop&) = default;
};

/// Up to `length` neighbouring values of some dimensions, of which the last may be cut into blocks.
struct SumSide {
  std::int64_t length = 1;                             ///< values in a whole block
  std::int64_t last_length = 1;                        ///< values in the last block
  std::array<std::int64_t, 3> steps{};                 ///< constant step between neighbours, or `scattered`
  std::array<std::vector<std::int64_t>, 3> offsets{};  ///< offsets of the values; empty where the step is constant
  std::array<std::int64_t, 3> periods{};               ///< number of values after which the offsets begin anew; 0: they don't
  int loop = -1;                                       ///< number of the loop over blocks, or -1 for a single block

  static constexpr std::int64_t scattered = INT64_MIN;
  /// Returns the offset of value `i` in tensor `t`.
  [[nodiscard]] std::int64_t offset(std::size_t t, std::int64_t i) const {
    return steps[t] == scattered ? offsets[t][static_cast<std::size_t>(i)] : i * steps[t];
  }
};

/// The dimensions of a sum of more than one value, without those that are one dimension in memory together with another one.
struct SumShape {
  std::vector<SumDimension> kept;    ///< dimensions of C, sorted by their strides in C
  std::vector<SumDimension> summed;  ///< C's strides are 0
  bool has_b = false;                ///< without B, its strides are 0
  std::int64_t element_bytes = 8;
};

/// The tiles of C, and the order in which the terms of a tile are added.
struct SumTiles {
  SumSide columns;             ///< values that follow each other in a row of a tile
  SumSide rows;                ///< rows of a tile
  SumSide terms_of_row;        ///< innermost part of the sum
  std::vector<SumLoop> tiles;  ///< loops around a tile, innermost first
  std::vector<SumLoop> sums;   ///< loops around terms_of_row, innermost first
  bool sums_up = false;        ///< there is a sum
  bool by_dots = false;        ///< every element is a sum along its terms; otherwise a row is a sum of rows
  bool by_columns = false;     ///< C is contiguous along the rows' numbers: a tile is transposed

  static constexpr std::int64_t bytes_of_row = 16384;  ///< longest row that is no part of a transposed tile; three fit L1
  static constexpr std::int64_t largest_side = 64;     ///< elements of a side of a transposed tile: runs of float
};

/// Sorts by the distance between neighbours in tensor `t`; dimensions that the tensor lacks come last.
void sort_by(std::vector<SumDimension>& dimensions, std::size_t t);

/// Returns the product of the extents of those dimensions that tensor `t` has: its number of elements.
[[nodiscard]] double elements_of(const SumShape& shape, std::size_t t);

/// Returns the operand that decides the order of the loops: the one with more elements, A if both have equally many.
[[nodiscard]] std::size_t main_operand(const SumShape& shape);

/// Returns whether each element of C is best computed as a dot product: the main operand is contiguous along the first summed dimension, or C
/// has few elements. `summed` and the distances are those in the main operand `main`.
[[nodiscard]] bool adds_by_dots(const std::vector<SumDimension>& kept, const std::vector<SumDimension>& summed, std::size_t main);

/// Takes dimensions off the front of `from` until they have `wanted` values, the last one in blocks. Appends the loop over the blocks to
/// `loops`.
[[nodiscard]] SumSide take_side(std::vector<SumDimension>& from, std::int64_t wanted, std::vector<SumLoop>& loops);

/// Returns the tiles for a sum.
[[nodiscard]] SumTiles choose_tiles(const SumShape& shape);

/// Returns how often the innermost work of nested loops is done.
[[nodiscard]] std::int64_t repetitions(const std::vector<SumLoop>& loops);

}  // namespace flopcast::contract
