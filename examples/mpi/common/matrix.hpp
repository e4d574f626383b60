#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

namespace subject {

/// A column-major matrix that somebody else owns.
struct View {
  double* data = nullptr;
  int rows = 0, columns = 0, ld = 1;

  double& operator()(int i, int j) const {
    return data[static_cast<std::size_t>(j) * static_cast<std::size_t>(ld) + static_cast<std::size_t>(i)];
  }
  /// The part of m x n elements whose first one is (i, j).
  [[nodiscard]] View block(int i, int j, int m, int n) const {
    return {data + static_cast<std::size_t>(j) * static_cast<std::size_t>(ld) + static_cast<std::size_t>(i), m, n, ld};
  }
  [[nodiscard]] bool empty() const { return rows == 0 || columns == 0; }
};

/// Gives zeroed memory, which costs nothing where it comes fresh from the system, and leaves it as it is.
template <class T>
struct ZeroedMemory {
  using value_type = T;

  ZeroedMemory() = default;
  template <class U>
  ZeroedMemory(const ZeroedMemory<U>&) {}  // NOLINT(google-explicit-constructor): as allocators are

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

/// A column-major matrix without gaps, so that it can be sent as it lies; zero at first.
class Matrix {
 public:
  Matrix() = default;
  Matrix(int rows, int columns)
      : rows_(rows), columns_(columns), elements_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)) {}

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

}  // namespace subject
