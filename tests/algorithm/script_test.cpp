#include "flopcast/algorithm/script.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string_view>

#include "flopcast/support/error.hpp"

namespace flopcast::algorithm {
namespace {

/// dscal of a library that counts its calls.
int calls = 0;
void scale(const std::int32_t* n, const double* alpha, double* x, const std::int32_t* incx) {
  ++calls;
  for (std::int32_t i = 0; i < *n; ++i) {
    x[i * *incx] *= *alpha;
  }
}

/// Returns scale() for dscal, and nothing else.
kernel::Function lookup(std::string_view routine) { return routine == "dscal" ? reinterpret_cast<kernel::Function>(&scale) : nullptr; }

Matrix matrix_at(double* data, std::int64_t ld = 0) { return {reinterpret_cast<std::uintptr_t>(data), ld, 8}; }

TEST(Matrices, SubMatricesAreAtTheirElements) {
  const Matrix a = {1000, 10, 16};
  EXPECT_EQ(a.at(3).address, 1000U + 3 * 16);
  EXPECT_EQ(a.at(3, 2).address, 1000U + (3 + 2 * 10) * 16);
  EXPECT_EQ(a.at(3, 2).ld, 10);
}

TEST(Scripts, RecordCallsWithAddressesAndLeadingDimensions) {
  Trace trace;
  const Script script = Script::recording(Precision::d, trace);
  const Matrix a = {1000, 10, 8}, b = {2000, 20, 8}, c = {3000, 30, 8};
  EXPECT_EQ(script("gemm", {'N', 'T', std::int64_t{3}, std::int64_t{4}, std::int64_t{5}, -1.0, a, b, 1.0, c}), 0);
  ASSERT_EQ(trace.calls.size(), 1U);
  const Call& call = trace.calls[0];
  EXPECT_EQ(call.routine->name, "dgemm");
  EXPECT_EQ(flag(call, "transb"), 'T');
  EXPECT_EQ(value(call, "n"), 4);
  EXPECT_EQ(value(call, "ldb"), 20);
  EXPECT_EQ(call.scalars.at(0), -1.0);
  EXPECT_EQ(matrix(call, "C").address, 3000U);
  EXPECT_EQ(matrix(call, "C").ld, 30);
  EXPECT_FALSE(script.executes());
}

TEST(Scripts, LocalMatricesAreAllocationsOfTheTrace) {
  Trace trace;
  const Script script = Script::recording(Precision::z, trace);
  const Matrix first = script.local(3, 4), second = script.local(1, 1);
  ASSERT_EQ(trace.allocations.size(), 2U);
  EXPECT_EQ(trace.allocations[0].name, "local0");
  EXPECT_EQ(trace.allocations[0].bytes, 3 * 4 * 16);
  EXPECT_EQ(trace.allocations[1].name, "local1");
  EXPECT_EQ(first.ld, 3);
  EXPECT_NE(first.address, second.address);
}

TEST(Scripts, TransposeConjugatesInComplexPrecisions) {
  Trace trace;
  EXPECT_EQ(Script::recording(Precision::d, trace).adjoint(), 'T');
  EXPECT_EQ(Script::recording(Precision::c, trace).adjoint(), 'C');
}

TEST(Scripts, RecordingsHaveNoData) {
  Trace trace;
  const Script script = Script::recording(Precision::d, trace);
  double element = 3;
  std::int32_t pivot = 5;
  const Matrix ipiv = {reinterpret_cast<std::uintptr_t>(&pivot), 0, 4};
  EXPECT_EQ(script.read(matrix_at(&element), 7.0), 7.0);
  EXPECT_EQ(script.read_pivot(ipiv, 9), 9);
  script.write(matrix_at(&element), 1.0);
  script.write_pivot(ipiv, 1);
  EXPECT_EQ(element, 3);
  EXPECT_EQ(pivot, 5);
}

TEST(Scripts, ExecutionsReadAndWriteData) {
  const Script script = Script::executing(Precision::d, lookup);
  double x[] = {1, 2, 3, 4};
  std::int32_t pivot = 5;
  const Matrix ipiv = {reinterpret_cast<std::uintptr_t>(&pivot), 0, 4};
  script("scal", {std::int64_t{2}, 10.0, matrix_at(x), std::int64_t{2}});
  EXPECT_EQ(x[0], 10);
  EXPECT_EQ(x[1], 2);
  EXPECT_EQ(x[2], 30);
  EXPECT_EQ(script.read(matrix_at(x).at(2), 0), 30.0);
  script.write(matrix_at(x).at(1), 8.0);
  EXPECT_EQ(x[1], 8);
  EXPECT_EQ(script.read_pivot(ipiv, 1), 5);
  script.write_pivot(ipiv, 6);
  EXPECT_EQ(pivot, 6);
  EXPECT_TRUE(script.executes());
}

TEST(Scripts, CallsAreMadeWithoutExecutingThem) {
  calls = 0;
  const Script script = Script::executing(Precision::d, lookup);
  double x[] = {1};
  const Call call = script.call("scal", {std::int64_t{1}, 10.0, matrix_at(x), std::int64_t{1}});
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(x[0], 1);
  EXPECT_EQ(value(call, "n"), 1);
}

TEST(Scripts, RefuseWhatTheCatalogueOrTheLibraryLacks) {
  const Script script = Script::executing(Precision::d, lookup);
  double x[] = {1};
  EXPECT_THROW(script("nothing", {}), Error);
  EXPECT_THROW(script("scal", {std::int64_t{1}}), Error) << "too few arguments";
  EXPECT_THROW(script("copy", {std::int64_t{1}, matrix_at(x), std::int64_t{1}, matrix_at(x), std::int64_t{1}}), Error);
  const Call call = script.call("scal", {std::int64_t{1}, 10.0, matrix_at(x), std::int64_t{1}});
  EXPECT_THROW(value(call, "m"), Error);
}

TEST(Runtimes, ShareRoutinesAndMemoryAmongExecutions) {
  int lookups = 0;
  const auto runtime = std::make_shared<Runtime>([&](std::string_view routine) {
    ++lookups;
    return lookup(routine);
  });
  double x[] = {1};
  std::uintptr_t address = 0;
  for (int execution = 0; execution < 3; ++execution) {
    const Script script = Script::executing(Precision::d, runtime);
    const Matrix local = script.local(10, 10);
    EXPECT_TRUE(execution == 0 || local.address == address);
    EXPECT_NE(script.local(10, 10).address, local.address);
    address = local.address;
    script("scal", {std::int64_t{1}, 2.0, matrix_at(x), std::int64_t{1}});
  }
  EXPECT_EQ(x[0], 8);
  EXPECT_EQ(lookups, 1);
}

}  // namespace
}  // namespace flopcast::algorithm
