#include "distribution.hpp"

#include <algorithm>

namespace subject {

Distribution::Distribution(const std::vector<int>& parts, int nb, int processes)
    : begins_{0}, extents_(static_cast<std::size_t>(processes)) {
  int end = 0;
  for (const int part : parts) {
    end += part;
    while (begins_.back() < end) {
      int& extent = extents_[static_cast<std::size_t>(owner(blocks()))];
      local_begins_.push_back(extent);
      begins_.push_back(std::min(begins_.back() + nb, end));
      extent += width(blocks() - 1);
    }
  }
}

int Distribution::local_begin(int process, int block) const {
  const int own = next(process, block);
  return own < blocks() ? local_begins_[static_cast<std::size_t>(own)] : extents_[static_cast<std::size_t>(process)];
}

Matrix gather(Matrix& local, const Distribution& rows, const Distribution& columns, MPI_Comm all) {
  int rank = 0;
  MPI_Comm_rank(all, &rank);
  if (rank != 0) {
    MPI_Send(local.data(), local.size(), MPI_DOUBLE, 0, 0, all);
    return {};
  }
  Matrix whole(rows.begin(rows.blocks()), columns.begin(columns.blocks()));
  for (int row = 0; row < rows.processes(); ++row) {
    for (int column = 0; column < columns.processes(); ++column) {
      Matrix part(rows.local_extent(row), columns.local_extent(column));
      const int source = row * columns.processes() + column;
      if (source == 0) {
        part = local;
      } else {
        MPI_Recv(part.data(), part.size(), MPI_DOUBLE, source, 0, all, MPI_STATUS_IGNORE);
      }
      for_each_element(rows, columns, row, column, [&](int li, int lj, int i, int j) { whole(i, j) = part(li, lj); });
    }
  }
  return whole;
}

}  // namespace subject
