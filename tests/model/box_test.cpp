#include "flopcast/core/kernel_model.hpp"
#include "flopcast/model/model_json.hpp"

#include <gmock/gmock.h>

#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast::model {
namespace {

using ::testing::ElementsAre;

TEST(Box, ContainsBothEnds) {
  const Box box{{8, 16}, {64, 32}};
  EXPECT_TRUE(box.contains(Sizes{8, 32}));
  EXPECT_TRUE(box.contains(Sizes{64, 16}));
  EXPECT_FALSE(box.contains(Sizes{65, 16}));
  EXPECT_FALSE(box.contains(Sizes{64, 15}));
}

TEST(Box, SubdividesIntoTwoToTheDimensionsParts) {
  const std::vector<Box> parts = subdivide({{8, 8}, {1024, 1024}}, 32, 8);
  EXPECT_THAT(parts,
              ElementsAre(Box{{8, 8}, {520, 520}}, Box{{520, 8}, {1024, 520}}, Box{{8, 520}, {520, 1024}}, Box{{520, 520}, {1024, 1024}}));
  EXPECT_EQ(subdivide({{0, 0, 0}, {64, 64, 64}}, 32, 8).size(), 8U);
}

TEST(Box, CutsAtMultiplesOfTheMinimumWidth) {
  for (const Box& part : subdivide({{13}, {1001}}, 32, 8)) {
    EXPECT_TRUE(part.low[0] == 13 || part.low[0] % 8 == 0);
    EXPECT_TRUE(part.high[0] == 1001 || part.high[0] % 8 == 0);
  }
}

TEST(Box, KeepsDimensionsWhoseHalvesWouldBeTooNarrow) {
  EXPECT_EQ(subdivide({{8}, {64}}, 32, 8).size(), 1U);
  EXPECT_EQ(subdivide({{0}, {64}}, 32, 8).size(), 2U);
  EXPECT_THAT(subdivide({{8, 64}, {1024, 64}}, 32, 8), ElementsAre(Box{{8, 64}, {520, 64}}, Box{{520, 64}, {1024, 64}}));
}

TEST(Box, FindsTheNearestPointAndBox) {
  const std::vector<Box> boxes = {{{8, 8}, {100, 100}}, {{1000, 1000}, {2000, 2000}}};
  EXPECT_EQ(nearest_point(boxes[0], Sizes{200, 1}), (Sizes{100, 8}));
  EXPECT_EQ(nearest_box(boxes, Sizes{200, 200}), boxes[0]);
  EXPECT_EQ(nearest_box(boxes, Sizes{900, 900}), boxes[1]);
  EXPECT_EQ(nearest_box(boxes, Sizes{0, 0}), boxes[0]);
}

TEST(Box, RefusesInvalidBounds) {
  EXPECT_THROW(check(Box{}), Error);
  EXPECT_THROW(check(Box{{1}, {2, 3}}), Error);
  EXPECT_THROW(check(Box{{9}, {8}}), Error);
  EXPECT_THROW(check(Box{{-1}, {8}}), Error);
  EXPECT_THROW(nlohmann::json::parse(R"({"low": [9], "high": [8]})").get<Box>(), MemberError) << "the document that holds it names it";
}

}  // namespace
}  // namespace flopcast::model
