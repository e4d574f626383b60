#include "flopcast/cache/plane.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

namespace flopcast::cache {
namespace {

constexpr std::int64_t columns = 12, height = 20;

/// A plane that stores the stamp of every byte.
class NaivePlane {
 public:
  std::map<Plane::Stamp, std::int64_t> observe(const Trapezoid& shape) const {
    std::map<Plane::Stamp, std::int64_t> bytes;
    for_each_byte(shape, [&](std::int64_t column, std::int64_t row) {
      const auto at = stamps_.find({column, row});
      ++bytes[at == stamps_.end() ? Plane::never : at->second];
    });
    return bytes;
  }
  void stamp(const Trapezoid& shape, Plane::Stamp stamp) {
    for_each_byte(shape, [&](std::int64_t column, std::int64_t row) { stamps_[{column, row}] = stamp; });
  }

 private:
  template <class Visit>
  static void for_each_byte(const Trapezoid& shape, Visit&& visit) {
    for (std::int64_t column = shape.begin; column < shape.end; ++column) {
      for (std::int64_t row = shape.low.at(column); row < shape.high.at(column); ++row) {
        visit(column, row);
      }
    }
  }
  std::map<std::pair<std::int64_t, std::int64_t>, Plane::Stamp> stamps_;
};

/// Returns a line between two rows, at columns begin and end - 1. The slope is a whole number, so that the second row is approximate.
Line line(std::int64_t begin, std::int64_t end, std::int64_t from, std::int64_t to) {
  const std::int64_t slope = end - begin > 1 ? (to - from) / (end - begin - 1) : 0;
  return {from - slope * begin, slope};
}

Trapezoid random_shape(std::mt19937& random) {
  const auto between = [&](std::int64_t low, std::int64_t high) { return std::uniform_int_distribution<std::int64_t>(low, high)(random); };
  const std::int64_t begin = between(0, columns - 1), end = between(begin + 1, columns);
  const std::int64_t low_first = between(0, height), low_last = between(0, height);
  Trapezoid shape{begin, end, line(begin, end, low_first, low_last), {}};
  shape.high = line(begin, end, between(low_first, height), between(std::max(shape.low.at(end - 1), std::int64_t{0}), height));
  if (shape.high.at(end - 1) < shape.low.at(end - 1)) {
    shape.high = shape.low;
  }
  return shape;
}

std::map<Plane::Stamp, std::int64_t> observe(const Plane& plane, const Trapezoid& shape) {
  std::map<Plane::Stamp, std::int64_t> bytes;
  plane.observe(shape, [&](Plane::Stamp stamp, std::int64_t count) { bytes[stamp] += count; });
  return bytes;
}

TEST(Plane, AgreesWithStampsByByte) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    Plane plane(columns, height);
    NaivePlane naive;
    for (Plane::Stamp stamp = 0; stamp < 25; ++stamp) {
      const Trapezoid shape = random_shape(random);
      ASSERT_EQ(observe(plane, shape), naive.observe(shape)) << "seed " << seed << " step " << stamp;
      std::map<Plane::Stamp, std::int64_t> replaced;
      plane.stamp(shape, stamp / 2, [&](Plane::Stamp before, std::int64_t count) { replaced[before] += count; });
      ASSERT_EQ(replaced, naive.observe(shape)) << "seed " << seed << " step " << stamp;
      naive.stamp(shape, stamp / 2);
    }
  }
}

TEST(Plane, StaysAsCoarseAsBlocks) {
  constexpr std::int64_t n = 1000, nb = 50;
  Plane plane(n, n);
  const auto ignore = [](Plane::Stamp, std::int64_t) {};
  Plane::Stamp stamp = 0;
  for (std::int64_t j = 0; j < n; j += nb) {  // right-looking: diagonal triangle, panel, trailing triangle
    plane.stamp({j, j + nb, {0, 1}, {j + nb, 0}}, stamp++, ignore);
    plane.stamp({j, j + nb, {j + nb, 0}, {n, 0}}, stamp++, ignore);
    plane.stamp({j + nb, n, {0, 1}, {n, 0}}, stamp++, ignore);
  }
  EXPECT_LE(plane.strips(), static_cast<std::size_t>(n / nb));
}

TEST(Plane, EqualNeighboursAreJoined) {
  Plane plane(100, 100);
  const auto ignore = [](Plane::Stamp, std::int64_t) {};
  plane.stamp({20, 40, {10, 0}, {30, 0}}, 1, ignore);
  EXPECT_EQ(plane.strips(), 3U);
  plane.stamp({0, 100, {0, 0}, {100, 0}}, 2, ignore);
  EXPECT_EQ(plane.strips(), 1U);
  EXPECT_THAT(observe(plane, {0, 100, {0, 1}, {100, 0}}), testing::ElementsAre(testing::Pair(2, 5050)));
}

}  // namespace
}  // namespace flopcast::cache
