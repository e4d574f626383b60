#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

namespace subject {

/// A column-major matrix in memory with another owner.
struct View {
  double* data = nullptr;
  int rows = 0, columns = 0, ld = 1;

  double& operator()(int i, int j) const {
    return data[static_cast<std::size_t>(j) * static_cast<std::size_t>(ld) + static_cast<std::size_t>(i)];
  }
  /// Returns the part of m x n elements that begins at (i, j).
  [[nodiscard]] View block(int i, int j, int m, int n) const {
    return {data + static_cast<std::size_t>(j) * static_cast<std::size_t>(ld) + static_cast<std::size_t>(i), m, n, ld};
  }
  [[nodiscard]] bool empty() const { return rows == 0 || columns == 0; }
};

/// Allocates zeroed memory, which is free of cost if the memory is fresh from the system, and doesn't initialise elements.
template <class T>
struct ZeroedMemory {
  using value_type = T;

  ZeroedMemory() = default;
  template <class U>
  ZeroedMemory(const ZeroedMemory<U>&) {}  // NOLINT(google-explicit-constructor): allocators convert implicitly

  T* allocate(std::size_t n) {
    if (void* memory = std::calloc(std::max<std::size_t>(n, 1), sizeof(T))) {
      return static_cast<T*>(memory);
    }
    throw std::bad_alloc();
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  template <class U>
  void construct(U*) {}
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
  friend bool operator==(const ZeroedMemory&, const ZeroedMemory&) { return true; }
};

/// A column-major matrix without gaps between columns, so that its memory can be sent as a whole; zero at first.
class Matrix {
 public:
  Matrix() = default;
  Matrix(int rows, int columns)
      : rows_(rows), columns_(columns), elements_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)) {}

  /// Gives the matrix another shape, in the same memory if that is large enough. Its elements are undefined then.
  Matrix& reshape(int rows, int columns) {
    rows_ = rows;
    columns_ = columns;
    elements_.clear();  // otherwise they would be copied to larger memory
    elements_.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    return *this;
  }

  operator View() { return {elements_.data(), rows_, columns_, std::max(1, rows_)}; }
  [[nodiscard]] View view() { return *this; }
  double& operator()(int i, int j) { return view()(i, j); }
  [[nodiscard]] double* data() { return elements_.data(); }
  [[nodiscard]] int size() const { return static_cast<int>(elements_.size()); }  ///< number of elements, as MPI counts
  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int columns() const { return columns_; }

 private:
  int rows_ = 0, columns_ = 0;
  std::vector<double, ZeroedMemory<double>> elements_;
};

/// Returns the matrix that a subject factors. All configurations of a launch have it in the same memory, each in its own shape: to get pages
/// from the system takes longer than to fill them.
inline Matrix& input_matrix() {
  static Matrix only;
  return only;
}

}  // namespace subject
