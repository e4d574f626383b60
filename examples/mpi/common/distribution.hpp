#pragma once

#include <mpi.h>

#include <vector>

#include "matrix.hpp"

namespace subject {

/// A block-cyclic distribution of rows or columns over the processes of one dimension of a grid. Block b is at process b mod processes, and
/// each process stores its blocks contiguously.
class Distribution {
 public:
  /// Divides each part into blocks of nb; the last block of a part may be smaller.
  Distribution(const std::vector<int>& parts, int nb, int processes);

  [[nodiscard]] int blocks() const { return static_cast<int>(begins_.size()) - 1; }
  [[nodiscard]] int processes() const { return static_cast<int>(extents_.size()); }
  [[nodiscard]] int begin(int block) const { return begins_[static_cast<std::size_t>(block)]; }
  [[nodiscard]] int width(int block) const { return begin(block + 1) - begin(block); }
  [[nodiscard]] int owner(int block) const { return block % processes(); }
  /// Returns the first block of `process` at or after `block`; may be past the end.
  [[nodiscard]] int next(int process, int block) const { return block + (process - block % processes() + processes()) % processes(); }
  /// Returns the number of rows or columns that `process` has before its first block at or after `block`.
  [[nodiscard]] int local_begin(int process, int block) const;
  [[nodiscard]] int local_extent(int process) const { return local_begin(process, blocks()); }

 private:
  std::vector<int> begins_;        ///< begin of every block, and the end of the last one
  std::vector<int> local_begins_;  ///< begin of every block at its owner
  std::vector<int> extents_;       ///< extents by process
};

/// Calls set(local row, local column, row, column) for every element of process (row, column).
template <class Set>
void for_each_element(const Distribution& rows, const Distribution& columns, int row, int column, Set set) {
  for (int bj = column; bj < columns.blocks(); bj += columns.processes()) {
    const int local_column = columns.local_begin(column, bj);
    for (int bi = row; bi < rows.blocks(); bi += rows.processes()) {
      const int local_row = rows.local_begin(row, bi);
      for (int j = 0; j < columns.width(bj); ++j) {
        for (int i = 0; i < rows.width(bi); ++i) {
          set(local_row + i, local_column + j, rows.begin(bi) + i, columns.begin(bj) + j);
        }
      }
    }
  }
}

/// Returns the whole matrix at rank 0 of `all`, and an empty one elsewhere. Ranks of `all` number the grid row by row. Collective.
Matrix gather(Matrix& local, const Distribution& rows, const Distribution& columns, MPI_Comm all);

}  // namespace subject
