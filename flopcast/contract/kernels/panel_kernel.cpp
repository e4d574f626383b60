#include "flopcast/contract/kernels/panel_kernel.hpp"

#include <array>
#include <utility>
#include <vector>

#include "flopcast/contract/kernels/along_batch.hpp"

namespace flopcast::contract {
namespace {

/// Returns the tables of kernels that this CPU can execute, the best first.
std::vector<PanelKernels> usable() {
  std::vector<PanelKernels> all;
  const auto add = [&](const PanelKernels& kernels) {
    if (kernels.in_double.run != nullptr) {
      all.push_back(kernels);
    }
  };
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0) {
    add(avx512_panels());
  }
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    add(avx2_panels());
  }
#endif
  add(baseline_panels());
  return all;
}

/// Returns whether the kernel computes a full panel, and a panel of one row and one column less, correctly. Small integers avoid rounding.
template <class T>
bool is_right(const PanelKernel<T>& kernel) {
  constexpr std::int64_t depth = 5;
  for (const auto& [rows, columns] : {std::pair{kernel.rows, kernel.columns}, {kernel.rows - 1, kernel.columns - 1}}) {
    std::vector<T> a(static_cast<std::size_t>(kernel.rows * depth)), b(static_cast<std::size_t>(depth * columns));
    std::vector<T> c(static_cast<std::size_t>(rows * columns), T(1));
    std::vector<std::int64_t> offsets;
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<T>(i % 7);
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
      b[i] = static_cast<T>(i % 5);
    }
    for (std::int64_t j = 0; j < columns; ++j) {
      offsets.push_back(j * rows);
    }
    kernel.run({rows, columns, depth, a.data(), kernel.rows, b.data(), 1, depth, T(2), T(3), c.data(), offsets.data(), nullptr, 0});
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      T sum = 0;
      for (std::int64_t p = 0; p < depth; ++p) {
        sum += a[static_cast<std::size_t>(i % rows + p * kernel.rows)] * b[static_cast<std::size_t>(p + i / rows * depth)];
      }
      if (c[static_cast<std::size_t>(i)] != 2 * sum + 3) {
        return false;
      }
    }
  }
  return true;
}

/// Returns whether a kernel that takes pieces writes exactly the given pieces: the first row alone, the others two elements further on.
template <class T>
bool writes_pieces(const PanelKernel<T>& kernel) {
  if (!kernel.takes_pieces) {
    return true;
  }
  constexpr std::int64_t gap = 2;
  std::vector<RowPiece> pieces = {{0, 0, 1, 0}, {0, 1, kernel.lanes, gap}};
  for (std::int64_t vector = 1; vector < kernel.rows / kernel.lanes; ++vector) {
    pieces.push_back({vector, 0, kernel.lanes, vector * kernel.lanes + gap});
  }
  std::vector<T> a(static_cast<std::size_t>(kernel.rows)), c(static_cast<std::size_t>(kernel.rows + gap), T(1));
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<T>(i);
  }
  const T one(1);
  const std::int64_t column = 0;
  kernel.run({kernel.rows, 1, 1, a.data(), kernel.rows, &one, 1, 1, T(2), T(3), c.data(), &column, pieces.data(), std::ssize(pieces)});
  for (std::int64_t i = 0; i < kernel.rows + gap; ++i) {
    const std::int64_t row = i == 0 ? 0 : i - gap;
    const T expected = i == 1 || i == gap ? T(1) : static_cast<T>(2 * row + 3);
    if (c[static_cast<std::size_t>(i)] != expected) {
      return false;
    }
  }
  return true;
}

/// Returns whether a kernel that streams writes exactly a whole panel, wherever in a line the panel begins. The two columns begin at
/// different positions in a line.
template <class T>
bool streams_right(const PanelKernel<T>& kernel) {
  if (!kernel.streams) {
    return true;
  }
  const std::int64_t column_step = kernel.rows + 1;
  const std::array<std::int64_t, 2> columns = {0, column_step};
  std::vector<T> a(static_cast<std::size_t>(kernel.rows));
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<T>(i);
  }
  const std::array<T, 2> b = {T(1), T(2)};
  for (std::int64_t before = 0; before < kernel.lanes; ++before) {
    std::vector<T> c(static_cast<std::size_t>(before + 2 * column_step), T(-1)), expected = c;
    PanelProduct<T> product{kernel.rows, 2, 1, a.data(), kernel.rows, b.data(), 2, 1, T(2), T(0), c.data() + before, columns.data()};
    product.stream_c = true;
    kernel.run(product);
    for (std::int64_t i = 0; i < kernel.rows; ++i) {
      expected[static_cast<std::size_t>(before + i)] = static_cast<T>(2 * i);
      expected[static_cast<std::size_t>(before + column_step + i)] = static_cast<T>(4 * i);
    }
    if (c != expected) {
      return false;
    }
  }
  return true;
}

/// Returns whether the kernel transposes a square correctly.
template <class T>
bool transposes(const PanelKernel<T>& kernel) {
  constexpr std::int64_t side = Square::side;
  std::array<T, static_cast<std::size_t>(side * side)> from{}, to{};
  for (std::size_t i = 0; i < from.size(); ++i) {
    from[i] = static_cast<T>(i);
  }
  const Square square{{0, side, 2 * side, 3 * side}, {0, side, 2 * side, 3 * side}};
  kernel.transpose(&square, 1, from.data(), to.data());
  for (std::int64_t i = 0; i < side * side; ++i) {
    if (to[static_cast<std::size_t>(i)] != from[static_cast<std::size_t>(i % side * side + i / side)]) {
      return false;
    }
  }
  return true;
}

/// Returns whether a batch of one vector and one more element is multiplied correctly: 5 x 3 products, sums of 2.
template <class T>
bool multiplies_batches(const PanelKernel<T>& kernel) {
  constexpr std::int64_t rows = 5, columns = 3, depth = 2;
  const std::int64_t count = kernel.lanes + 1;
  const auto steps = [&](std::int64_t length, std::int64_t step) {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < length; ++i) {
      all.push_back(i * step * count);
    }
    return all;
  };
  const auto numbers = [&](std::int64_t length, int period) {
    std::vector<T> all;
    for (std::int64_t i = 0; i < length * count; ++i) {
      all.push_back(static_cast<T>(i % period));
    }
    return all;
  };
  const auto a_rows = steps(rows, 1), a_depth = steps(depth, rows), b_depth = steps(depth, 1), b_columns = steps(columns, depth);
  const auto c_rows = steps(rows, 1), c_columns = steps(columns, rows);
  const auto a = numbers(rows * depth, 7), b = numbers(depth * columns, 5), before = numbers(rows * columns, 3);
  std::vector<T> c = before, expected = before;
  const BatchProduct<T> product{
      count,          rows,           columns,          depth,         a.data(),         b.data(), c.data(), a_rows.data(),
      a_depth.data(), b_depth.data(), b_columns.data(), c_rows.data(), c_columns.data(), T(2),     T(3)};
  kernel.run_batch(product);
  BatchProduct<T> same = product;
  same.c = expected.data();
  run_strided_batch(same, 1, 1, 1);
  return c == expected;
}

/// Returns the kernels that pass the checks above, which run once per process. The last kernel, which is for every CPU, is taken in any
/// case.
template <class T>
std::vector<PanelKernel<T>> kernels_of(PanelKernel<T> PanelKernels::*which) {
  std::vector<PanelKernel<T>> all;
  const std::vector<PanelKernels> tables = usable();
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const PanelKernel<T>& kernel = tables[i].*which;
    if (i + 1 == tables.size() ||
        (is_right(kernel) && writes_pieces(kernel) && streams_right(kernel) && transposes(kernel) && multiplies_batches(kernel))) {
      all.push_back(kernel);
    }
  }
  return all;
}

}  // namespace

template <>
std::span<const PanelKernel<float>> panel_kernels<float>() {
  static const std::vector<PanelKernel<float>> all = kernels_of(&PanelKernels::in_float);
  return all;
}

template <>
std::span<const PanelKernel<double>> panel_kernels<double>() {
  static const std::vector<PanelKernel<double>> all = kernels_of(&PanelKernels::in_double);
  return all;
}

}  // namespace flopcast::contract
