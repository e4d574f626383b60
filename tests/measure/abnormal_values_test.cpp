#include "flopcast/measure/abnormal_values.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"

namespace flopcast::measure {
namespace {

template <class Real>
AbnormalValues after(const std::string& routine, std::vector<Real> x, std::vector<Real> y) {
  Call call = kernel::parse_call(kernel::require(routine), {{"n", std::to_string(y.size())}});
  call.arguments[static_cast<std::size_t>(call.routine->index("x"))] =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(x.data()));
  call.arguments[static_cast<std::size_t>(call.routine->index("y"))] =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(y.data()));
  return abnormal_values(call);
}

TEST(AbnormalValues, FindsDenormalsAndValuesThatAreNotFinite) {
  using Double = std::numeric_limits<double>;
  const std::vector<double> usual = {0, -0.0, 1, -2, Double::min(), Double::max()};
  EXPECT_FALSE(after("daxpy", usual, usual).denormal);
  EXPECT_FALSE(after("daxpy", usual, usual).not_finite);
  EXPECT_TRUE(after("daxpy", usual, {1, Double::denorm_min(), 1, 1, 1, 1}).denormal);
  EXPECT_TRUE(after("daxpy", usual, {1, 1, 1, 1, 1, -Double::min() / 2}).denormal);
  EXPECT_TRUE(after("daxpy", usual, {-Double::infinity(), 1, 1, 1, 1, 1}).not_finite);
  EXPECT_TRUE(after("daxpy", usual, {1, 1, 1, Double::quiet_NaN(), 1, 1}).not_finite);
}

TEST(AbnormalValues, LooksAtSinglePrecision) {
  using Float = std::numeric_limits<float>;
  const std::vector<float> usual = {0, 1, Float::min(), Float::max()};
  EXPECT_FALSE(after("saxpy", usual, usual).denormal);
  EXPECT_TRUE(after("saxpy", usual, {1, 1, 1, Float::denorm_min()}).denormal);
  EXPECT_TRUE(after("saxpy", usual, {1, 1, 1, Float::infinity()}).not_finite);
}

TEST(AbnormalValues, IgnoresOperandsThatAreOnlyRead) {
  EXPECT_FALSE(after("daxpy", std::vector<double>{std::numeric_limits<double>::infinity()}, std::vector<double>{1}).not_finite);
}

}  // namespace
}  // namespace flopcast::measure
