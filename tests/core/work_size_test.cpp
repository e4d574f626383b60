#include "flopcast/core/work_size.hpp"

#include <gtest/gtest.h>

namespace flopcast {
namespace {

TEST(WorkSizes, AreRoundedUpInSinglePrecision) {
  for (const std::int64_t needed : {std::int64_t{1}, std::int64_t{16777215}, std::int64_t{16777216}, std::int64_t{16777217},
                                    std::int64_t{16837401}, std::int64_t{16837403}, std::int64_t{25040016}, std::int64_t{2048192001}}) {
    EXPECT_GE(answered_elements(static_cast<float>(needed)), needed) << "LAPACK rounds to the nearest number";
    EXPECT_LE(answered_elements(static_cast<float>(needed)), needed + 256);
    EXPECT_EQ(answered_elements(static_cast<double>(needed)), needed);
    EXPECT_GE(static_cast<std::int64_t>(answer_for<float>(static_cast<double>(needed))), needed);
    EXPECT_EQ(static_cast<std::int64_t>(answer_for<double>(static_cast<double>(needed))), needed);
  }
  EXPECT_EQ(answered_elements(1000.0F), 1000);
  EXPECT_EQ(answered_elements(-5.0F), -5) << "an overflow stays one";
}

}  // namespace
}  // namespace flopcast
