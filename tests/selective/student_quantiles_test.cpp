#include "flopcast/selective/student_quantiles.hpp"

#include <gtest/gtest.h>

#include "flopcast/core/statistics.hpp"

namespace flopcast::selective {
namespace {

TEST(StudentQuantiles, AreThoseOfTheDistribution) {
  StudentQuantiles quantiles(0.95);
  for (const double degrees : {30.0, 1.0, 2.0, 999.0, 2.0}) {
    EXPECT_DOUBLE_EQ(quantiles(degrees), student_t_quantile(0.975, degrees));
  }
}

TEST(StudentQuantiles, AreInterpolatedBetweenWholeDegrees) {
  for (const double confidence : {0.9, 0.95, 0.99}) {
    StudentQuantiles quantiles(confidence);
    for (const double degrees : {3.2, 3.5, 4.7, 12.1, 80.5, 999.9}) {
      EXPECT_NEAR(quantiles(degrees) / student_t_quantile((1 + confidence) / 2, degrees), 1, 5e-3) << confidence << " " << degrees;
    }
  }
}

TEST(StudentQuantiles, AreNearlyNormalForManyDegrees) {
  StudentQuantiles quantiles(0.9);
  EXPECT_NEAR(quantiles(1e9) / normal_quantile(0.95), 1, 2e-3);
}

}  // namespace
}  // namespace flopcast::selective
