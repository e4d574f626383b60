#include "flopcast/support/combinations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flopcast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Combinations, ChangeTheLastListFastest) {
  EXPECT_THAT(combinations<int>({{1, 2}, {3}, {4, 5}}),
              ElementsAre(ElementsAre(1, 3, 4), ElementsAre(1, 3, 5), ElementsAre(2, 3, 4), ElementsAre(2, 3, 5)));
}

TEST(Combinations, OfNoListsAreOneEmptyCombination) { EXPECT_THAT(combinations<int>({}), ElementsAre(IsEmpty())); }

TEST(Combinations, WithAnEmptyListThereAreNone) { EXPECT_THAT(combinations<int>({{1, 2}, {}}), IsEmpty()); }

TEST(Combinations, AreCountedUpToALimit) {
  EXPECT_EQ(combination_count<int>({{1, 2}, {3, 4, 5}}), 6U);
  EXPECT_EQ(combination_count<int>({{1, 2}, {3, 4, 5}}, 5), 5U);
  EXPECT_EQ(combination_count<int>({{1, 2}, {}}), 0U);
  EXPECT_EQ(combination_count(std::vector<std::vector<int>>(100, std::vector<int>(10)), 1'000'000), 1'000'000U);
}

}  // namespace
}  // namespace flopcast
