#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flopcast/contract/einsum/row_kernel.hpp"
#include "flopcast/contract/einsum/sum_tiles.hpp"

namespace flopcast::contract {

/// C := A, whose dimensions are in another order. Elements are moved without arithmetic, as 4, 8 or 16 bytes.
///
/// A tile holds those dimensions along which A or C are nearly contiguous, so that whole lines of both tensors are used up while they are in the
/// first cache. Within a tile, squares are transposed in registers: their rows are contiguous in A and their columns in C, each along one
/// or several dimensions. Where A and C are contiguous along the same dimension, rows are copied. Where both would be too short, and
/// where an element fills a vector, elements are collected by a table of their offsets.
///
/// Tensors that exceed the caches have longer tiles. Squares and short rows then go to a buffer, from which long rows are written past the
/// caches while the next tile is read.
class Transposition {
 public:
  /// Bytes of both tensors from which on C is written past the caches.
  static constexpr double bytes_of_caches = 2.2e7;

  /// `dimensions` are fused and sorted by C's strides, which are positive. `element_bytes` is 4, 8 or 16.
  Transposition(std::vector<SumDimension> dimensions, std::int64_t element_bytes, double out_of_caches = bytes_of_caches);

  /// Returns the number of tiles, which threads may share.
  [[nodiscard]] std::int64_t tiles() const { return tile_count_; }
  /// Moves tiles [first, last); `a` and `c` are the addresses of the first elements, which may be the same if all strides are.
  void run(const void* a, void* c, std::int64_t first, std::int64_t last) const;

 private:
  using Numbers = std::vector<std::size_t>;  ///< numbers of dimensions
  enum class Way { rows, squares, table, single };
  /// The part of a dimension that belongs to a tile.
  struct Block {
    std::int64_t length = 1, last_length = 1;  ///< numbers of values in whole blocks and in the last one
    int loop = -1;                             ///< number of the loop over blocks; -1: there is one block
  };
  /// The work of a tile: the same work is done in each of its blocks.
  struct Work {
    std::vector<MovedBlock> blocks;
    std::vector<std::int64_t> from_of;  ///< offsets in A of the elements that follow each other in C
    std::vector<std::int64_t> to_of;    ///< offsets in C of the elements that follow each other in A; for squares
    // Where elements are put into a buffer, and written past the caches from there:
    std::vector<std::int64_t> buffer_of;  ///< offsets of the elements of to_of in the buffer
    std::vector<MovedBlock> collected;    ///< contiguous rows in A and in the buffer, without squares
    std::int64_t collected_row = 0;       ///< elements of such a row
    std::vector<MovedBlock> buffered;     ///< contiguous rows in the buffer and in C
    std::int64_t buffered_row = 0;        ///< elements of such a row
    std::vector<std::int64_t> read;       ///< offsets of contiguous rows in A
    std::int64_t read_row = 0;            ///< elements of such a row
  };

  void widen_elements();
  void choose_blocks(bool exceeds_caches);
  void choose_streaming();
  void take(const Numbers& nearest_first, std::int64_t wanted);
  [[nodiscard]] Numbers chain(const Numbers& nearest_first, std::size_t tensor, const Numbers& excluded) const;
  void choose_sides(const Numbers& by_c, const Numbers& by_a);
  void choose_way(const Numbers& by_c, const Numbers& by_a, bool exceeds_caches);
  [[nodiscard]] bool has_rows() const;
  [[nodiscard]] Work work(std::size_t ends) const;
  static void set_buffered(Work& work);
  [[nodiscard]] std::int64_t length(std::size_t dimension, std::size_t ends) const;
  [[nodiscard]] std::int64_t blocked(const Numbers& dimensions) const;
  /// The elements of A that the next tile needs lie `ahead` elements behind those of this tile.
  void run_tile(const std::byte* a, std::byte* c, const Work& work, std::int64_t ahead, std::byte* buffer) const;

  std::vector<SumDimension> dimensions_;
  std::int64_t element_bytes_;
  Way way_ = Way::single;
  bool streams_ = false;       ///< C is written past the caches
  Numbers along_c_, along_a_;  ///< dimensions along which a tile's elements follow each other in C, and, for squares, in A
  std::vector<Block> blocks_;  ///< blocks of all dimensions
  Numbers cut_;                ///< dimensions whose last block is shorter: two at most
  std::vector<Work> works_;    ///< bit i of the number says whether cut_[i] is at its last block
  std::vector<SumLoop> loops_;
  std::int64_t tile_count_ = 1;
};

}  // namespace flopcast::contract
