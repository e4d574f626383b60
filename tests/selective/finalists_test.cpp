#include "flopcast/selective/finalists.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace flopcast::selective {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Seconds plenty = 1000;

TEST(Finalists, AreThoseWhoseIntervalsMeetThatOfTheLeast) {
  const std::vector<PredictedCandidate> all = {{13, 1, false}, {10, 1, false}, {12.5, 1.6, false}, {12, 1, false}};
  EXPECT_THAT(finalists_in_doubt(all, plenty),
              ElementsAre(1, 3, 2));  // ordered by prediction: the interval of 11 meets those of 11 and 10.9, not that of 12
}

TEST(Finalists, AreNoneIfOneIsClearlyAhead) {
  EXPECT_THAT(finalists_in_doubt(std::vector<PredictedCandidate>{{10, 1, false}, {13, 1, false}}, plenty), IsEmpty());
  EXPECT_THAT(finalists_in_doubt(std::vector<PredictedCandidate>{{10, 1, true}}, plenty), IsEmpty());
  EXPECT_THAT(finalists_in_doubt({}, plenty), IsEmpty());
}

TEST(Finalists, AreAsManyAsCanBeAfforded) {
  const std::vector<PredictedCandidate> all = {{10, 9, false}, {11, 9, false}, {12, 9, false}, {13, 9, false}};
  EXPECT_THAT(finalists_in_doubt(all, 46), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(finalists_in_doubt(all, 45), ElementsAre(0, 1, 2));
  EXPECT_THAT(finalists_in_doubt(all, 33), ElementsAre(0, 1, 2));
  EXPECT_THAT(finalists_in_doubt(all, 32), ElementsAre(0, 1));
  EXPECT_THAT(finalists_in_doubt(all, 0), ElementsAre(0, 1)) << "one alone decides nothing";
}

TEST(Finalists, WhereProcessesShareCoresExecutionsTakeLongerThanPredicted) {
  const std::vector<PredictedCandidate> all = {{10, 9, false}, {11, 9, false}, {12, 9, false}, {13, 9, false}};
  EXPECT_THAT(finalists_in_doubt(all, 46, 2), ElementsAre(0, 1));
  EXPECT_THAT(finalists_in_doubt(all, 66, 2), ElementsAre(0, 1, 2));
}

TEST(Finalists, ExecutedConfigurationsCostNothing) {
  const std::vector<PredictedCandidate> all = {{10, 9, true}, {11, 9, false}, {12, 9, true}, {13, 9, false}};
  EXPECT_THAT(finalists_in_doubt(all, 24), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(finalists_in_doubt(all, 11), ElementsAre(0, 1, 2));
}

TEST(Finalists, AreLeftOutOnceTheExecutedOnesTookTooLong) {
  EXPECT_FALSE(skips_finalists(2, 45, 46));
  EXPECT_FALSE(skips_finalists(2, 46, 46));
  EXPECT_TRUE(skips_finalists(2, 47, 46));
  EXPECT_FALSE(skips_finalists(0, 47, 46));
  EXPECT_FALSE(skips_finalists(1, 47, 46)) << "one alone decides nothing";
}

}  // namespace
}  // namespace flopcast::selective
