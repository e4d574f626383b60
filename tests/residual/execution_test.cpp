#include "flopcast/residual/execution.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/residual/check_call.hpp"

namespace flopcast::residual {
namespace {

Call call_of(const std::string& text) { return kernel::expand_calls(text).front(); }

double* data(const Call& call, const char* name) {
  return reinterpret_cast<double*>(call.address(static_cast<std::size_t>(call.routine->index(name))));
}

/// Computes y := alpha x + y of a daxpy with increments 1, and `error` more in the last element.
Execute axpy(double error) {
  return [error](const Call& call) {
    const std::int64_t n = call.arguments[0];
    for (std::int64_t i = 0; i < n; ++i) {
      data(call, "y")[i] += call.scalars[0].real() * data(call, "x")[i] + (i == n - 1 ? error : 0);
    }
    return kernel::Outcome{};
  };
}

TEST(CheckedCall, RoundingErrorsPassAndLargerOnesFail) {
  const Call call = call_of("daxpy n=9 alpha=0.8125");
  EXPECT_EQ(check_call(call, axpy(0), 1).fault, "");
  const CallCheck wrong = check_call(call, axpy(1e-14), 1);
  EXPECT_EQ(wrong.fault, "y - (alpha x + y)");
  EXPECT_NEAR(wrong.error, 1e-14, 1e-15);
  EXPECT_LT(wrong.bound, wrong.error);
  EXPECT_TRUE(check_call(call, axpy(NAN), 1).fails());
}

TEST(CheckedCall, MemoryAroundOperandsIsWatchedAndUndefined) {
  const Call call = call_of("daxpy n=4 alpha=1 incx=2");
  const CallCheck changed = check_call(
      call,
      [](const Call& made) {
        data(made, "y")[4] = 0;
        return kernel::Outcome{};
      },
      1);
  EXPECT_EQ(changed.fault, "byte 32 of y was changed, which doesn't belong to the results");
  EXPECT_TRUE(check_call(call, axpy(0), 1).fails()) << "elements between those of x are NaN";
  const CallCheck refused = check_call(
      call_of("dpotrf uplo=L n=1"),
      [](const Call&) {
        return kernel::Outcome{0, 3};
      },
      1);
  EXPECT_EQ(refused.fault, "info is 3, expected 0");
}

TEST(Execution, OperandsAreReadAsTheMatricesThatTheyAre) {
  const Execution packed(call_of("dtpsv uplo=L trans=N diag=U n=4 incx=-1"), 1);
  const Dense<double> a = packed.matrix<double>("AP", When::before);
  EXPECT_EQ(a(2, 2), 1);
  EXPECT_EQ(a(1, 2), 0);
  EXPECT_EQ(a(3, 1), data(packed.call(), "AP")[4 + 2]);
  EXPECT_EQ(packed.matrix<double>("x", When::before)(0, 0), data(packed.call(), "x")[3]);
  const Execution band(call_of("dsbmv uplo=U n=5 k=2 lda=4"), 1);
  const Dense<double> b = band.matrix<double>("A", When::before);
  EXPECT_EQ(b(1, 3), data(band.call(), "A")[3 * 4 + 0]);
  EXPECT_EQ(b(0, 3), 0);
  const Execution unread(call_of("dgemm m=2 n=2 k=2 alpha=1 beta=0"), 1);
  EXPECT_TRUE(std::isnan(data(unread.call(), "C")[0]));
}

TEST(Execution, TriangularMatricesOfEigenvaluesHaveAnUndefinedTriangle) {
  const Execution lower(call_of("dsyev jobz=V uplo=L n=4 lda=4"), 1), upper(call_of("dsyev jobz=V uplo=U n=4 lda=4"), 1);
  for (std::int64_t i = 0; i < 4; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) {
      EXPECT_EQ(std::isnan(data(lower.call(), "A")[i + 4 * j]), i < j);
      EXPECT_EQ(std::isnan(data(upper.call(), "A")[i + 4 * j]), i > j);
    }
  }
}

TEST(Execution, OperandsKeepTheirPlaceInACacheLine) {
  Call call = call_of("daxpy n=4 alpha=1");
  call.arguments[2] = 0x1008;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data(Execution(call, 1).call(), "x")) % 64, 8U);
}

}  // namespace
}  // namespace flopcast::residual
