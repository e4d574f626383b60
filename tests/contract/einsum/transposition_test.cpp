#include "flopcast/contract/einsum/transposition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace flopcast::contract {
namespace {

/// A tensor of `element_bytes`, in which no two elements are equal.
std::vector<std::byte> distinct(std::int64_t elements, std::int64_t element_bytes) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(elements * element_bytes));
  for (std::int64_t i = 0; i < elements; ++i) {
    for (std::int64_t k = 0; k < 4; ++k) {
      bytes[static_cast<std::size_t>(i * element_bytes + k)] = static_cast<std::byte>(i >> (8 * k) & 0xff);
    }
  }
  return bytes;
}

/// C by nested loops, and `before` where it has no elements.
std::vector<std::byte> expected(const std::vector<SumDimension>& dimensions, std::int64_t element_bytes, const std::vector<std::byte>& a,
                                std::vector<std::byte> before) {
  std::vector<std::array<std::int64_t, 2>> places = {{0, 0}};
  for (const SumDimension& dimension : dimensions) {
    const std::size_t inner = places.size();
    for (std::int64_t i = 1; i < dimension.extent; ++i) {
      for (std::size_t k = 0; k < inner; ++k) {
        places.push_back({places[k][0] + i * dimension.strides[in_a], places[k][1] + i * dimension.strides[in_c]});
      }
    }
  }
  for (const auto& [from, to] : places) {
    std::copy_n(a.begin() + from * element_bytes, element_bytes, before.begin() + to * element_bytes);
  }
  return before;
}

struct Shape {
  std::vector<SumDimension> dimensions;  ///< sorted by C's strides
  std::int64_t elements_of_a = 1, elements_of_c = 1;
};

/// Returns dimensions in random order in A; `gap` is the stride of C's nearest dimension, or of A's where `gap` is negative.
Shape random_shape(std::mt19937& random, std::int64_t longest, std::int64_t gap) {
  Shape shape;
  const auto order = std::uniform_int_distribution<std::size_t>(1, 5)(random);
  shape.elements_of_c = std::max<std::int64_t>(1, gap);
  shape.elements_of_a = std::max<std::int64_t>(1, -gap);
  for (std::size_t d = 0; d < order; ++d) {
    const std::int64_t extent = std::uniform_int_distribution<std::int64_t>(2, longest)(random);
    shape.dimensions.push_back({extent, {0, 0, shape.elements_of_c}});
    shape.elements_of_c *= extent;
  }
  std::vector<std::size_t> by_a(order);
  std::iota(by_a.begin(), by_a.end(), std::size_t{0});
  std::shuffle(by_a.begin(), by_a.end(), random);
  for (const std::size_t d : by_a) {
    shape.dimensions[d].strides[in_a] = shape.elements_of_a;
    shape.elements_of_a *= shape.dimensions[d].extent;
  }
  return shape;
}

/// Returns dimensions with these extents in C, nearest first, which follow each other in A in the order `by_a`.
Shape permuted(const std::vector<std::int64_t>& extents, const std::vector<std::size_t>& by_a) {
  Shape shape;
  for (const std::int64_t extent : extents) {
    shape.dimensions.push_back({extent, {0, 0, shape.elements_of_c}});
    shape.elements_of_c *= extent;
  }
  for (const std::size_t d : by_a) {
    shape.dimensions[d].strides[in_a] = shape.elements_of_a;
    shape.elements_of_a *= extents[d];
  }
  return shape;
}

/// The first elements of A and C lie `skipped_bytes` behind aligned addresses.
void expect_right(const Shape& shape, std::int64_t element_bytes, double out_of_caches, std::ptrdiff_t skipped_bytes = 0) {
  const std::vector<std::byte> a = distinct(shape.elements_of_a, element_bytes);
  const std::vector<std::byte> before(static_cast<std::size_t>(shape.elements_of_c * element_bytes), std::byte{0xa5});
  std::vector<std::byte> from(static_cast<std::size_t>(skipped_bytes)), to = from;
  from.insert(from.end(), a.begin(), a.end());
  to.insert(to.end(), before.begin(), before.end());
  const Transposition transposition(shape.dimensions, element_bytes, out_of_caches);
  const std::int64_t half = transposition.tiles() / 2;  // as two threads share the work
  transposition.run(from.data() + skipped_bytes, to.data() + skipped_bytes, 0, half);
  transposition.run(from.data() + skipped_bytes, to.data() + skipped_bytes, half, transposition.tiles());
  const std::vector<std::byte> c(to.begin() + skipped_bytes, to.end());
  std::string text;
  for (const SumDimension& dimension : shape.dimensions) {
    text += std::to_string(dimension.extent) + " (" + std::to_string(dimension.strides[in_a]) + ", " +
            std::to_string(dimension.strides[in_c]) + ") ";
  }
  ASSERT_EQ(c, expected(shape.dimensions, element_bytes, a, before)) << text << element_bytes;
}

TEST(Transposition, MovesEveryElementOfAnyShape) {
  constexpr double never = 1e300;
  std::mt19937 random(7);
  for (int i = 0; i < 400; ++i) {
    for (const std::int64_t element_bytes : {4, 8, 16}) {
      for (const double out_of_caches : {never, 0.0}) {
        expect_right(random_shape(random, i % 2 == 0 ? 5 : 14, i % 7 - 3), element_bytes, out_of_caches);
      }
    }
  }
}

TEST(Transposition, MovesEveryPermutationOfShortDimensions) {
  const std::vector<std::int64_t> extents = {3, 5, 2, 7, 4};
  for (std::size_t order = 1; order <= extents.size(); ++order) {
    const std::vector<std::int64_t> some(extents.end() - static_cast<std::ptrdiff_t>(order), extents.end());
    std::vector<std::size_t> by_a(order);
    std::iota(by_a.begin(), by_a.end(), std::size_t{0});
    do {
      for (const std::int64_t element_bytes : {4, 8, 16}) {
        for (const std::ptrdiff_t skipped_bytes : {0, 4, 16}) {
          expect_right(permuted(some, by_a), element_bytes, 1e300, skipped_bytes);
          expect_right(permuted(some, by_a), element_bytes, 0, skipped_bytes);
        }
      }
    } while (std::next_permutation(by_a.begin(), by_a.end()));
  }
}

TEST(Transposition, WritesRowsOfSeveralDimensionsPastTheCaches) {
  const std::vector<std::vector<std::int64_t>> shapes = {{30, 15, 9, 3}, {18, 130, 14, 2}, {5, 8, 41, 12}, {67, 66, 3, 5}, {3, 600, 9, 2}};
  const std::vector<std::vector<std::size_t>> orders = {{1, 0, 2, 3}, {3, 1, 2, 0}, {1, 2, 0, 3}, {2, 1, 3, 0}, {0, 2, 1, 3}, {0, 3, 2, 1}};
  for (const std::vector<std::int64_t>& extents : shapes) {
    for (const std::vector<std::size_t>& by_a : orders) {
      for (const std::int64_t element_bytes : {4, 8, 16}) {
        for (const std::ptrdiff_t skipped_bytes : {0, 4, 16, 48}) {
          expect_right(permuted(extents, by_a), element_bytes, 0, skipped_bytes);
        }
      }
    }
  }
}

TEST(Transposition, CutsLongDimensionsIntoTiles) {
  for (const std::int64_t element_bytes : {4, 8, 16}) {
    for (const std::int64_t rows : {129, 256, 301, 1100}) {
      const Shape shape = {{{rows, {70, 0, 1}}, {70, {1, 0, rows}}}, rows * 70, rows * 70};
      expect_right(shape, element_bytes, 1e300);
      expect_right(shape, element_bytes, 0);
      EXPECT_GT(Transposition(shape.dimensions, element_bytes).tiles(), 1);
    }
  }
}

TEST(Transposition, RepeatsElementsOfADimensionThatAHasNot) {
  expect_right({{{3, {0, 0, 1}}, {5, {1, 0, 3}}}, 5, 15}, 8, 1e300);
  expect_right({{{20, {1, 0, 1}}, {6, {0, 0, 20}}}, 20, 120}, 4, 1e300);
  expect_right({{{3, {0, 0, 1}}, {85, {1, 0, 3}}}, 85, 255}, 8, 0);
  expect_right({{{21, {1, 0, 1}}, {16, {0, 0, 21}}}, 21, 336}, 4, 0);
}

TEST(Transposition, ATensorMayBeCopiedToItself) {
  const std::vector<std::byte> before = distinct(77, 4);
  std::vector<std::byte> same = before;
  const Transposition transposition({{77, {1, 0, 1}}}, 4);
  transposition.run(same.data(), same.data(), 0, transposition.tiles());
  EXPECT_EQ(same, before);
}

TEST(Transposition, OneElementNeedsNoDimension) {
  const double a = 3;
  double c = 4;
  Transposition({}, 8).run(&a, &c, 0, 1);
  EXPECT_EQ(c, 3);
}

}  // namespace
}  // namespace flopcast::contract
