#include "grid.hpp"

#include <cmath>
#include <optional>
#include <string>

#include "run.hpp"

namespace subject {

Extents grid_option(CommandLine& line) {
  const int processes = world_size();
  if (const std::optional<std::vector<int>> given = line.extents("--grid", 2)) {
    const Extents extents = {given->front(), given->back()};
    if (static_cast<long>(extents.rows) * extents.columns != processes) {
      throw UsageError("a grid of " + std::to_string(extents.rows) + "x" + std::to_string(extents.columns) + " doesn't have " +
                       std::to_string(processes) + " processes");
    }
    return extents;
  }
  int rows = static_cast<int>(std::sqrt(processes));
  while (processes % rows != 0) {
    --rows;
  }
  return {rows, processes / rows};
}

Grid::Grid(Extents extents)
    : rows(extents.rows),
      columns(extents.columns),
      row(world_rank() / extents.columns),
      column(world_rank() % extents.columns),
      along_row(MPI_COMM_WORLD, row, column),
      along_column(MPI_COMM_WORLD, column, row) {}

}  // namespace subject
