#include "flopcast/kernel/invoke.hpp"

#include <gtest/gtest.h>

#include <array>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"

// Routines with Fortran's interface, defined here, check the arguments that the generic call passes.
namespace flopcast::kernel {
namespace {

template <class T>
std::int64_t address(T& value) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(&value));
}

void potrf(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t length) {
  a[0] = *uplo == 'U' && *n == 3 && *lda == 5 && length == 1 ? 42 : -1;
  *info = 7;
}

void axpy(const int* n, const std::complex<float>* alpha, const std::complex<float>* x, const int* incx, std::complex<float>* y,
          const int* incy) {
  *y = static_cast<float>(*n) * *alpha * *x + std::complex<float>(static_cast<float>(*incx), static_cast<float>(*incy));
}

float snrm2(const int*, const float* x, const int*) { return 2 * *x; }
double dsdot(const int*, const float*, const int*, const float*, const int*) { return 1e300; }
int idamax(const int* n, const double*, const int*) { return *n; }

std::complex<double> zdotc(const int*, const void*, const int*, const void*, const int*) { return {3, -4}; }
std::complex<float> cdotu(const int*, const void*, const int*, const void*, const int*) { return {1.5F, 2.5F}; }

template <class F>
Function generic(F* function) {
  return reinterpret_cast<Function>(function);
}

TEST(Invocation, PassesPointersFlagsAndTheirLengths) {
  std::array<double, 15> a{};
  Call call = parse_call(require("dpotrf"), {{"n", "3"}, {"uplo", "U"}, {"lda", "5"}});
  call.arguments[2] = address(a);
  Invocation invocation(generic(potrf), call);
  invocation.run();
  EXPECT_EQ(a[0], 42);
  EXPECT_EQ(invocation.outcome().info, 7);
}

TEST(Invocation, PassesScalarsInTheRoutinesPrecision) {
  std::complex<float> x{2, 0}, y{};
  Call call = parse_call(require("caxpy"), {{"n", "3"}, {"alpha", "(0.5,1)"}, {"incx", "8"}, {"incy", "-9"}});
  call.arguments[2] = address(x);
  call.arguments[4] = address(y);
  Invocation(generic(axpy), call).run();
  EXPECT_EQ(y, (std::complex<float>{11, -3}));
}

TEST(Invocation, GivesBackResultsOfEveryKind) {
  float x = 1.25;
  const auto value = [&](const char* routine, Function function) {
    Call call = parse_call(require(routine), {{"n", "5"}});
    call.arguments[1] = address(x);
    Invocation invocation(function, call);
    invocation.run();
    return invocation.outcome().value;
  };
  EXPECT_EQ(value("snrm2", generic(snrm2)), 2.5);
  EXPECT_EQ(value("dsdot", generic(dsdot)), 1e300);
  EXPECT_EQ(value("idamax", generic(idamax)), 5.0);
  EXPECT_EQ(value("zdotc", generic(zdotc)), (std::complex<double>{3, -4}));
  EXPECT_EQ(value("cdotu", generic(cdotu)), (std::complex<double>{1.5, 2.5}));
}

TEST(Invocation, CanBeRunAgain) {
  std::complex<float> x{1, 0}, y{};
  Call call = parse_call(require("caxpy"), {{"n", "1"}});
  call.arguments[2] = address(x);
  call.arguments[4] = address(y);
  Invocation invocation(generic(axpy), call);
  invocation.run();
  x = 5;
  invocation.run();
  EXPECT_EQ(y, (std::complex<float>{6, 1}));
}

}  // namespace
}  // namespace flopcast::kernel
