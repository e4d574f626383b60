#include "flopcast/contract/kernels/panel_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "flopcast/contract/kernels/along_batch.hpp"

namespace flopcast::contract {
namespace {

constexpr int gap = 3;  // elements around the ones that the kernel may write

template <class T>
std::vector<T> random_numbers(std::int64_t count, std::mt19937& random) {
  std::uniform_int_distribution<int> few(-4, 4);  // small integers, so that sums of products stay exact
  std::vector<T> numbers(static_cast<std::size_t>(count));
  for (T& number : numbers) {
    number = static_cast<T>(few(random));
  }
  return numbers;
}

/// Returns pieces of rows; the rows from `cut` on lie a gap later in C.
std::vector<RowPiece> cut_in_two(std::int64_t rows, std::int64_t cut, std::int64_t lanes) {
  std::vector<RowPiece> pieces;
  for (std::int64_t i = 0; i < rows;) {
    const std::int64_t run_end = i < cut ? cut : rows;
    const std::int64_t end = std::min(run_end, (i / lanes + 1) * lanes);
    const std::int64_t lane = i % lanes;
    pieces.push_back({i / lanes, lane, lane + end - i, i - lane + (i < cut ? 0 : gap)});
    i = end;
  }
  return pieces;
}

/// Compares one product of random shape and steps with nested loops. All of C's memory is compared.
template <class T>
void compare_one(const PanelKernel<T>& kernel, std::mt19937& random) {
  const auto up_to = [&](std::int64_t most) { return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most)); };
  PanelProduct<T> x;
  x.rows = random() % 2 == 0 ? up_to(kernel.rows) : kernel.lanes * up_to(kernel.rows / kernel.lanes);
  x.columns = up_to(kernel.columns);
  x.depth = up_to(20) - 1;
  x.a_step = kernel.rows + up_to(5) - 1;
  x.b_column_step = random() % 2 == 0 ? 1 : up_to(30);
  x.b_step = x.b_column_step == 1 ? kernel.columns : 1;
  x.alpha = static_cast<T>(up_to(2));
  x.beta = static_cast<T>(up_to(3) - 1);
  const std::vector<T> a = random_numbers<T>(x.a_step * (x.depth + 1), random);
  const std::vector<T> b = random_numbers<T>(x.b_step * x.depth + x.b_column_step * kernel.columns + 1, random);
  if (random() % 2 == 0) {
    x.ahead = b.data();
    x.ahead_step = up_to(4);
  }
  std::vector<std::int64_t> columns;
  for (std::int64_t j = 0; j < x.columns; ++j) {
    columns.push_back(gap + (x.columns - 1 - j) * (x.rows + 2 * gap));  // falling order, because any order is legal
  }
  std::vector<T> c = random_numbers<T>(gap + x.columns * (x.rows + 2 * gap), random);
  const bool in_pieces = kernel.takes_pieces && random() % 2 == 0;
  const std::int64_t cut = in_pieces ? up_to(x.rows) : x.rows;
  const std::vector<RowPiece> pieces = in_pieces ? cut_in_two(x.rows, cut, kernel.lanes) : std::vector<RowPiece>{};
  x.pieces = in_pieces ? pieces.data() : nullptr;
  x.piece_count = std::ssize(pieces);
  x.stream_c = !in_pieces && random() % 2 == 0;  // columns begin anywhere in a line
  std::vector<T> expected = c;
  for (std::int64_t j = 0; j < x.columns; ++j) {
    for (std::int64_t i = 0; i < x.rows; ++i) {
      T sum = 0;
      for (std::int64_t p = 0; p < x.depth; ++p) {
        sum += a[static_cast<std::size_t>(i + p * x.a_step)] * b[static_cast<std::size_t>(p * x.b_step + j * x.b_column_step)];
      }
      T& element = expected[static_cast<std::size_t>(i + (i < cut ? 0 : gap) + columns[static_cast<std::size_t>(j)])];
      element = x.alpha * sum + x.beta * element;
    }
  }
  x.a = a.data();
  x.b = b.data();
  x.c = c.data();
  x.c_columns = columns.data();
  kernel.run(x);
  ASSERT_EQ(c, expected) << kernel.instructions << ' ' << x.rows << " x " << x.columns << " x " << x.depth << " beta " << x.beta;
}

template <class T>
class PanelKernelOf : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PanelKernelOf, Reals);

TYPED_TEST(PanelKernelOf, AgreesWithNestedLoopsForEveryInstructionSet) {
  std::mt19937 random(1);
  for (const PanelKernel<TypeParam>& kernel : panel_kernels<TypeParam>()) {
    for (int i = 0; i < 3000; ++i) {
      compare_one(kernel, random);
    }
  }
}

TYPED_TEST(PanelKernelOf, OverwritesNaNWhereBetaIsZero) {
  for (const PanelKernel<TypeParam>& kernel : panel_kernels<TypeParam>()) {
    const auto rows = static_cast<std::size_t>(kernel.rows);
    const std::vector<TypeParam> a(rows, TypeParam(2)), b(1, TypeParam(3));
    for (const std::size_t used : {rows, rows - 1}) {
      std::vector<TypeParam> c(rows, std::numeric_limits<TypeParam>::quiet_NaN());
      const std::int64_t column = 0;
      kernel.run({static_cast<std::int64_t>(used), 1, 1, a.data(), kernel.rows, b.data(), 1, 1, 1, 0, c.data(), &column});
      for (std::size_t i = 0; i < used; ++i) {
        EXPECT_EQ(c[i], TypeParam(6)) << kernel.instructions;
      }
    }
  }
}

template <class T>
void expect_transposed(const PanelKernel<T>& kernel) {
  std::mt19937 random(2);
  const std::vector<T> from = random_numbers<T>(400, random);
  std::vector<T> to(400, T(9)), expected = to;
  std::vector<Square> squares;
  for (std::int64_t s = 0; s < 5; ++s) {
    Square square{};
    for (std::int64_t k = 0; k < Square::side; ++k) {
      square.from[k] = static_cast<std::int64_t>(random() % 396);
      square.to[k] = 80 * s + 17 * k + 1;  // no offset is aligned
    }
    for (std::int64_t i = 0; i < Square::side; ++i) {
      for (std::int64_t j = 0; j < Square::side; ++j) {
        expected[static_cast<std::size_t>(square.to[i] + j)] = from[static_cast<std::size_t>(square.from[j] + i)];
      }
    }
    squares.push_back(square);
  }
  kernel.transpose(squares.data(), std::ssize(squares), from.data(), to.data());
  EXPECT_EQ(to, expected) << kernel.instructions;
}

/// Compares one batch of random shape, with randomly ordered tables, with a loop over single products. All of C's memory is compared.
template <class T>
void compare_batch(const PanelKernel<T>& kernel, std::mt19937& random) {
  const auto up_to = [&](std::int64_t most) { return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most)); };
  const std::int64_t count = up_to(3 * kernel.lanes), rows = up_to(9), columns = up_to(9), depth = up_to(5) - 1;
  const auto table = [&](std::int64_t length, std::int64_t step) {
    std::vector<std::int64_t> offsets;
    for (std::int64_t i = 0; i < length; ++i) {
      offsets.push_back(i * step);
    }
    std::shuffle(offsets.begin(), offsets.end(), random);
    return offsets;
  };
  const std::int64_t lane = count + gap;
  const auto a_rows = table(rows, lane), a_depth = table(depth, rows * lane), b_depth = table(depth, lane),
             b_columns = table(columns, depth * lane);
  const auto c_rows = table(rows, lane), c_columns = table(columns, rows * lane);
  const std::vector<T> a = random_numbers<T>(rows * depth * lane + 1, random), b = random_numbers<T>(depth * columns * lane + 1, random);
  std::vector<T> c = random_numbers<T>(rows * columns * lane, random), expected = c;
  BatchProduct<T> x{count, rows, columns, depth, a.data(), b.data(), c.data()};
  x.a_rows = a_rows.data(), x.a_depth = a_depth.data(), x.b_depth = b_depth.data(), x.b_columns = b_columns.data();
  x.c_rows = c_rows.data(), x.c_columns = c_columns.data();
  x.alpha = static_cast<T>(up_to(2)), x.beta = static_cast<T>(up_to(3) - 1);
  kernel.run_batch(x);
  x.c = expected.data();
  run_strided_batch(x, 1, 1, 1);
  ASSERT_EQ(c, expected) << kernel.instructions << ' ' << count << " times " << rows << " x " << columns << " x " << depth;
}

TYPED_TEST(PanelKernelOf, MultipliesBatches) {
  std::mt19937 random(9);
  for (const PanelKernel<TypeParam>& kernel : panel_kernels<TypeParam>()) {
    for (int i = 0; i < 500; ++i) {
      compare_batch(kernel, random);
    }
  }
}

TYPED_TEST(PanelKernelOf, OverwritesNaNsOfABatchWhereBetaIsZero) {
  const std::int64_t none = 0;
  for (const PanelKernel<TypeParam>& kernel : panel_kernels<TypeParam>()) {
    const auto count = static_cast<std::size_t>(kernel.lanes + 1);
    const std::vector<TypeParam> twos(count, TypeParam(2));
    std::vector<TypeParam> c(count, std::numeric_limits<TypeParam>::quiet_NaN());
    kernel.run_batch({kernel.lanes + 1, 1, 1, 1, twos.data(), twos.data(), c.data(), &none, &none, &none, &none, &none, &none, TypeParam(3),
                      TypeParam(0)});
    EXPECT_EQ(c, std::vector<TypeParam>(count, TypeParam(12))) << kernel.instructions;
  }
}

TEST(PanelKernels, TransposeSquares) {
  for (const PanelKernel<float>& kernel : panel_kernels<float>()) {
    expect_transposed(kernel);
  }
  for (const PanelKernel<double>& kernel : panel_kernels<double>()) {
    expect_transposed(kernel);
  }
}

}  // namespace
}  // namespace flopcast::contract
