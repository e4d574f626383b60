#pragma once

#include <array>

#include "distribution.hpp"
#include "grid.hpp"

/// ScaLAPACK's interface for C programs: Fortran routines, and the C interface of its communication library.
extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridexit(int context);
void descinit_(int* descriptor, const int* m, const int* n, const int* mb, const int* nb, const int* first_row, const int* first_column,
               const int* context, const int* ld, int* info);
void pdpotrf_(const char* uplo, const int* n, double* a, const int* row, const int* column, const int* descriptor, int* info, std::size_t);
void pdgeqrf_(const int* m, const int* n, double* a, const int* row, const int* column, const int* descriptor, double* tau, double* work,
              const int* lwork, int* info);
void pdormqr_(const char* side, const char* trans, const int* m, const int* n, const int* k, double* a, const int* row_a,
              const int* column_a, const int* descriptor_a, const double* tau, double* c, const int* row_c, const int* column_c,
              const int* descriptor_c, double* work, const int* lwork, int* info, std::size_t, std::size_t);
}

namespace subject {

/// ScaLAPACK's grid over all processes, row by row like Grid.
class BlacsGrid {
 public:
  explicit BlacsGrid(Extents extents) {
    Cblacs_get(0, 0, &context_);
    Cblacs_gridinit(&context_, "Row", extents.rows, extents.columns);
  }
  BlacsGrid(const BlacsGrid&) = delete;
  BlacsGrid& operator=(const BlacsGrid&) = delete;
  ~BlacsGrid() { Cblacs_gridexit(context_); }
  [[nodiscard]] int context() const { return context_; }

 private:
  int context_ = 0;
};

/// An m x n matrix in blocks of nb x nb on the grid, with its descriptor. Its local part is in `memory`, which it reshapes.
class DistributedMatrix {
 public:
  template <class Element>
  DistributedMatrix(int m, int n, int nb, const Grid& grid, const BlacsGrid& blacs, Element element, Matrix& memory)
      : rows_({m}, nb, grid.rows),
        columns_({n}, nb, grid.columns),
        local_(memory.reshape(rows_.local_extent(grid.row), columns_.local_extent(grid.column))),
        descriptor_(describe(m, n, nb, blacs, local_)) {
    for_each_element(rows_, columns_, grid.row, grid.column, [&](int li, int lj, int i, int j) { local_(li, lj) = element(i, j); });
  }

  double* data() { return local_.data(); }
  [[nodiscard]] const int* descriptor() const { return descriptor_.data(); }
  [[nodiscard]] int local_columns() const { return local_.columns(); }
  /// Returns the whole matrix at rank 0. Collective.
  Matrix gathered() { return gather(local_, rows_, columns_, MPI_COMM_WORLD); }

 private:
  using Descriptor = std::array<int, 9>;
  static Descriptor describe(int m, int n, int nb, const BlacsGrid& blacs, Matrix& local);

  Distribution rows_, columns_;
  Matrix& local_;
  Descriptor descriptor_;
};

}  // namespace subject
