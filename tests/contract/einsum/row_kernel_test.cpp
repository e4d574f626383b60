#include "flopcast/contract/einsum/row_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

// Every instruction set of this CPU, not only the one that is used here.
namespace flopcast::contract {
namespace {

struct Set {
  std::string name;
  RowKernels kernels;
};

std::vector<Set> usable_sets() {
  std::vector<Set> sets = {{"baseline", baseline_rows()}};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    sets.push_back({"AVX2", avx2_rows()});
  }
  if (__builtin_cpu_supports("avx512f") != 0) {
    sets.push_back({"AVX-512", avx512_rows()});
  }
#endif
  return sets;
}

template <class T>
auto numbers(std::vector<T>& row) {
  return reinterpret_cast<typename NumberOfElement<T>::type*>(row.data());
}
template <class T>
auto numbers(const std::vector<T>& row) {
  return reinterpret_cast<const typename NumberOfElement<T>::type*>(row.data());
}
template <class T>
auto numbers(const T& element) {
  return reinterpret_cast<const typename NumberOfElement<T>::type*>(&element);
}

template <class T>
T conjugate(const T& x, bool conjugated) {
  if constexpr (std::is_floating_point_v<T>) {
    return x;
  } else {
    return conjugated ? std::conj(x) : x;
  }
}

/// Returns small integers, so that all results are exact.
template <class T>
std::vector<T> random_row(std::size_t count, std::mt19937& random) {
  const auto number = [&] { return static_cast<typename NumberOfElement<T>::type>(static_cast<int>(random() % 7) - 3); };
  std::vector<T> row(count);
  for (T& element : row) {
    if constexpr (std::is_floating_point_v<T>) {
      element = number();
    } else {
      element = {number(), number()};
    }
  }
  return row;
}

template <class T>
void expect_right_rows(const RowKernel<typename NumberOfElement<T>::type>& kernel, std::size_t count, bool conjugated, bool adds,
                       std::mt19937& random) {
  const auto length = static_cast<std::int64_t>(count);
  const std::vector<T> a = random_row<T>(count, random), b = random_row<T>(count, random), before = random_row<T>(count, random);
  const T alpha = random_row<T>(1, random)[0], beta = random_row<T>(1, random)[0];
  std::vector<T> added = before, multiplied = before, scaled = before, combined = before, in_place = a;
  std::vector<T> sum = {T(2)}, dot = {T(3)};
  kernel.sum(length, numbers(a), numbers(sum));
  kernel.dot(length, numbers(a), numbers(b), conjugated, numbers(dot));
  kernel.add(length, numbers(a), numbers(added));
  kernel.multiply(length, numbers(a), numbers(b), conjugated, adds, numbers(multiplied));
  kernel.scale(length, numbers(a), numbers(alpha), conjugated, adds, numbers(scaled));
  kernel.combine(length, numbers(a), conjugated, numbers(alpha), numbers(beta), adds, numbers(combined));
  kernel.combine(length, numbers(in_place), conjugated, numbers(alpha), numbers(beta), false, numbers(in_place));
  T expected_sum(2), expected_dot(3);
  for (std::size_t i = 0; i < count; ++i) {
    const T first = conjugate(a[i], conjugated), old = adds ? before[i] : T(0);
    expected_sum += a[i];
    expected_dot += first * b[i];
    ASSERT_EQ(added[i], before[i] + a[i]);
    ASSERT_EQ(multiplied[i], old + first * b[i]);
    ASSERT_EQ(scaled[i], old + first * alpha);
    ASSERT_EQ(combined[i], first * alpha + beta * old);
    ASSERT_EQ(in_place[i], first * alpha);
  }
  ASSERT_EQ(sum[0], expected_sum);
  ASSERT_EQ(dot[0], expected_dot);
}

/// Moves two blocks of rows and columns, whose rows are scattered in A and columns in C. Expects that nothing else is written.
template <class T>
void expect_right_squares(const MoveKernel& kernel, std::size_t rows, std::size_t columns, std::mt19937& random) {
  const std::size_t from_step = columns + 3, to_step = rows + 2;
  const std::vector<T> from = random_row<T>(2 * rows * from_step, random), before = random_row<T>(2 * columns * to_step, random);
  std::vector<std::int64_t> from_of, to_of;
  for (std::size_t i = 0; i < rows; ++i) {
    from_of.push_back(static_cast<std::int64_t>((rows - 1 - i) * from_step));
  }
  for (std::size_t j = 0; j < columns; ++j) {
    to_of.push_back(static_cast<std::int64_t>((j + 1) % columns * to_step));
  }
  const std::vector<MovedBlock> blocks = {{0, 0},
                                          {static_cast<std::int64_t>(rows * from_step), static_cast<std::int64_t>(columns * to_step)}};
  std::vector<T> to = before, expected = before;
  kernel.squares(blocks.size(), blocks.data(), static_cast<std::int64_t>(rows), from_of.data(), static_cast<std::int64_t>(columns),
                 to_of.data(), from.data(), to.data());
  for (const MovedBlock& block : blocks) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        expected[static_cast<std::size_t>(block.to + to_of[j]) + i] = from[static_cast<std::size_t>(block.from + from_of[i]) + j];
      }
    }
  }
  ASSERT_EQ(to, expected) << rows << " x " << columns;
}

/// Copies rows, past the caches too, and collects them by a table.
template <class T>
void expect_right_moves(const MoveKernel& kernel, std::size_t count, std::mt19937& random) {
  const std::vector<T> from = random_row<T>(2 * count + 1, random), before = random_row<T>(3 * count + 9, random);
  std::vector<std::int64_t> from_of;
  for (std::size_t i = 0; i < count; ++i) {
    from_of.push_back(static_cast<std::int64_t>(count - 1 - i));
  }
  const std::vector<MovedBlock> blocks = {{1, 2}, {0, static_cast<std::int64_t>(2 * count) + 5}};
  std::vector<T> copied = before, collected = before, streamed = before, to = before;
  const auto length = static_cast<std::int64_t>(count);
  kernel.rows(blocks.size(), blocks.data(), length, from.data(), copied.data());
  kernel.stream(blocks.size(), blocks.data(), length, from.data(), streamed.data(), {from.data(), from_of.data(), length, 2});
  kernel.table(blocks.size(), blocks.data(), length, from_of.data(), from.data(), collected.data());
  std::vector<T> reversed = before;
  for (const MovedBlock& block : blocks) {
    for (std::size_t i = 0; i < count; ++i) {
      to[static_cast<std::size_t>(block.to) + i] = from[static_cast<std::size_t>(block.from) + i];
      reversed[static_cast<std::size_t>(block.to) + i] = from[static_cast<std::size_t>(block.from + from_of[i])];
    }
  }
  ASSERT_EQ(copied, to) << count;
  ASSERT_EQ(streamed, to) << count;
  ASSERT_EQ(collected, reversed) << count;
}

template <class T>
void expect_right(const MoveKernel& kernel) {
  std::mt19937 random(2);
  for (std::size_t rows = 1; rows < 20; ++rows) {
    for (std::size_t columns = 1; columns < 20; ++columns) {
      expect_right_squares<T>(kernel, rows, columns, random);
    }
  }
  for (std::size_t count = 1; count < 80; ++count) {
    expect_right_moves<T>(kernel, count, random);
  }
}

template <class T>
void expect_right(const RowKernel<typename NumberOfElement<T>::type>& kernel) {
  std::mt19937 random(1);
  for (std::size_t count = 0; count < 80; ++count) {
    for (const bool conjugated : {false, true}) {
      for (const bool adds : {false, true}) {
        SCOPED_TRACE(count);
        expect_right_rows<T>(kernel, count, conjugated, adds, random);
      }
    }
  }
}

TEST(RowKernel, ComputesRowsOfAnyLengthWithEveryInstructionSet) {
  for (const Set& set : usable_sets()) {
    SCOPED_TRACE(set.name);
    expect_right<float>(set.kernels.s);
    expect_right<double>(set.kernels.d);
    expect_right<std::complex<float>>(set.kernels.c);
    expect_right<std::complex<double>>(set.kernels.z);
  }
}

TEST(MoveKernel, MovesElementsOfEverySizeWithEveryInstructionSet) {
  for (const Set& set : usable_sets()) {
    SCOPED_TRACE(set.name);
    expect_right<float>(set.kernels.moves(4));
    expect_right<std::complex<float>>(set.kernels.moves(8));
    expect_right<std::complex<double>>(set.kernels.moves(16));
  }
}

TEST(RowKernel, ConjugatesWithoutMultiplying) {
  using Complex = std::complex<double>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Complex> row(9, Complex(1, infinity));
  const Complex one = 1;
  for (const Set& set : usable_sets()) {
    std::vector<Complex> result(row.size());
    set.kernels.z.combine(9, numbers(row), true, numbers(one), nullptr, false, numbers(result));
    EXPECT_EQ(result, std::vector<Complex>(9, Complex(1, -infinity))) << set.name;
  }
}

TEST(RowKernel, OfFactorOneAddsOrCopies) {
  std::mt19937 random(2);
  const std::vector<double> row = random_row<double>(21, random), before = random_row<double>(21, random);
  for (const Set& set : usable_sets()) {
    std::vector<double> copied = before, added = before;
    const double one = 1;
    set.kernels.d.combine(21, row.data(), false, &one, &one, false, copied.data());
    set.kernels.d.combine(21, row.data(), false, &one, &one, true, added.data());
    EXPECT_EQ(copied, row) << set.name;
    for (std::size_t i = 0; i < row.size(); ++i) {
      EXPECT_EQ(added[i], row[i] + before[i]) << set.name;
    }
  }
}

}  // namespace
}  // namespace flopcast::contract
