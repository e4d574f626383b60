#pragma once

#include <mpi.h>

#include <vector>

#include "matrix.hpp"

namespace subject {

/// Rows or columns in blocks that go round the processes of one dimension of a grid: block b at process b mod processes, each process's
/// blocks one behind the other.
class Distribution {
 public:
  /// Blocks of nb each; the last one of every part has what is left of it.
  Distribution(const std::vector<int>& parts, int nb, int processes);

  [[nodiscard]] int blocks() const { return static_cast<int>(begins_.size()) - 1; }
  [[nodiscard]] int processes() const { return static_cast<int>(extents_.size()); }
  [[nodiscard]] int begin(int block) const { return begins_[static_cast<std::size_t>(block)]; }
  [[nodiscard]] int width(int block) const { return begin(block + 1) - begin(block); }
  [[nodiscard]] int owner(int block) const { return block % processes(); }
  /// The first block of `process` that isn't before `block`; may be past the end.
  [[nodiscard]] int next(int process, int block) const { return block + (process - block % processes() + processes()) % processes(); }
  /// How many rows or columns `process` has before its first block that isn't before `block`.
  [[nodiscard]] int local_begin(int process, int block) const;
  [[nodiscard]] int local_extent(int process) const { return local_begin(process, blocks()); }

 private:
  std::vector<int> begins_;        ///< of every block, and the end
  std::vector<int> local_begins_;  ///< of every block, at its owner
  std::vector<int> extents_;       ///< of every process
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

/// The whole matrix at rank 0 of `all`, whose ranks are the grid's row by row; empty elsewhere. Collective.
Matrix gather(Matrix& local, const Distribution& rows, const Distribution& columns, MPI_Comm all);

}  // namespace subject
