#pragma once

#include <mpi.h>

#include "command_line.hpp"

namespace subject {

/// A communicator that is freed with this object: the processes of `all` with the same color, in the order of `key`.
class Communicator {
 public:
  Communicator(MPI_Comm all, int color, int key) { MPI_Comm_split(all, color, key, &handle_); }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator() { MPI_Comm_free(&handle_); }
  operator MPI_Comm() const { return handle_; }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

/// Extents of a 2D grid.
struct Extents {
  int rows = 1, columns = 1;
};

/// Returns the extents of --grid ROWSxCOLUMNS, or the squarest grid of all processes. Throws UsageError if the grid doesn't have as many
/// processes as there are.
Extents grid_option(CommandLine& line);

/// The place of this process in a 2D grid of all processes, which are numbered row by row.
struct Grid {
  explicit Grid(Extents extents);

  int rows, columns, row, column;
  Communicator along_row;     ///< the processes of this row; a process's rank is its column
  Communicator along_column;  ///< the processes of this column; a process's rank is its row
};

}  // namespace subject
