#include "flopcast/selective/decision_rules.hpp"

#include <gtest/gtest.h>

namespace flopcast::selective {
namespace {

TEST(PriorTrust, WindowsCheckSoThatPriorTimesHoldUntilTheyDrift) {
  PriorTrust trust;
  PriorAgreement routine;
  EXPECT_TRUE(trust.holds_for(routine, true));
  EXPECT_FALSE(trust.holds_for(routine, false));
  trust.note(routine, false);
  EXPECT_TRUE(trust.has_drifted(routine));
  EXPECT_FALSE(trust.holds_for(routine, true));
}

TEST(PriorTrust, WithoutWindowsFourKernelsAreCheckedFirst) {
  PriorTrust trust;
  PriorAgreement routine;
  PriorAgreement other;
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(trust.holds_for(other, false));
    trust.note(other, true);
  }
  EXPECT_TRUE(trust.holds_for(other, false));
  EXPECT_FALSE(trust.holds_for(routine, false)) << "none of its kernels was checked";
}

TEST(PriorTrust, DriftOfMostKernelsIsDriftOfAll) {
  PriorTrust trust;
  PriorAgreement routine;
  PriorAgreement other;
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(trust.has_drifted(routine));
    trust.note(other, false);
  }
  EXPECT_TRUE(trust.has_drifted(routine));
  trust.begin();
  EXPECT_FALSE(trust.has_drifted(routine));
}

}  // namespace
}  // namespace flopcast::selective
