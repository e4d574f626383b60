#include "flopcast/roofline/roof.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flopcast/support/error.hpp"

namespace flopcast::roofline {
namespace {

TEST(GemmSpace, HasAsManyShapesAsTorring2021) {
  EXPECT_EQ(gemm_space("full").shapes.size(), 539U);    // equation 8
  EXPECT_EQ(gemm_space("reduced").shapes.size(), 96U);  // section IV-A
}

TEST(GemmSpace, HoldsTheOptimaOfTableV) {
  const std::vector<GemmShape> shapes = gemm_space("reduced").shapes;
  for (const GemmShape& best : {GemmShape{1000, 4096, 128}, {2000, 2048, 64}, {2000, 4096, 128}, {4000, 2048, 128}, {4000, 512, 128}}) {
    EXPECT_THAT(shapes, testing::Contains(best));
  }
}

TEST(GemmSpace, OfBriefCallsIsPartOfTheReducedOne) {
  const std::vector<GemmShape> reduced = gemm_space("reduced").shapes;
  const GemmSpace brief = gemm_space("brief");
  EXPECT_LT(brief.shapes.size(), reduced.size());
  for (const GemmShape& shape : brief.shapes) {
    EXPECT_THAT(reduced, testing::Contains(shape));
    EXPECT_LE(shape.flops(), brief_flops);
  }
}

TEST(GemmSpace, KnowsTheMemoryOfItsLargestShape) { EXPECT_EQ(gemm_space({2, 10}, {3}, {4, 5}).elements(), 10 * 5 + 5 * 3 + 10 * 3); }

TEST(GemmSpace, RefusesUnknownNamesAndEndlessSpaces) {
  EXPECT_THROW(gemm_space("huge"), Error);
  const std::vector<std::int64_t> many = [] {
    std::vector<std::int64_t> values(1000);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<std::int64_t>(i) + 1;
    }
    return values;
  }();
  EXPECT_THROW(gemm_space(many, many, many), Error);
  EXPECT_THROW(gemm_space({}, {1}, {1}), Error);
  EXPECT_THROW(gemm_space({1}, {2, 2}, {1}), Error);
}

}  // namespace
}  // namespace flopcast::roofline
