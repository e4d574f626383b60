#include "flopcast/path/student_quantiles.hpp"

#include <gtest/gtest.h>

#include "flopcast/core/statistics.hpp"

namespace flopcast::path {
namespace {

TEST(StudentQuantilesTest, AreThoseOfTheDistribution) {
  StudentQuantiles quantiles(0.95);
  for (const double degrees : {30.0, 1.0, 2.0, 999.0, 2.0}) {
    EXPECT_DOUBLE_EQ(quantiles(degrees), student_t_quantile(0.975, degrees));
  }
}

TEST(StudentQuantilesTest, OfManyDegreesAreNearlyTheNormalOnes) {
  StudentQuantiles quantiles(0.9);
  EXPECT_NEAR(quantiles(1e9) / normal_quantile(0.95), 1, 2e-3);
}

}  // namespace
}  // namespace flopcast::path
