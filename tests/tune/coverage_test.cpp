#include "flopcast/tune/coverage.hpp"

#include <gtest/gtest.h>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"

namespace flopcast::tuning {
namespace {

/// Returns a call that touches C(rows x columns) of a matrix of order 100 at the given corner, as the output of a dgemm with k = 1.
Call touching(std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns) {
  Call call = kernel::parse_call(kernel::require("dgemm"),
                                 {{"m", std::to_string(rows)}, {"n", std::to_string(columns)}, {"k", "1"}, {"ldc", "100"}});
  const auto set = [&](const char* name, std::uintptr_t address) {
    call.arguments[static_cast<std::size_t>(call.routine->index(name))] = static_cast<std::int64_t>(address);
  };
  set("A", 1 << 30);
  set("B", 1 << 29);
  set("C", (1 << 20) + static_cast<std::uintptr_t>(8 * (row + 100 * column)));
  return call;
}

Operand output(const Call& call) { return operands(call)[2]; }

TEST(Coverage, AddsUpParts) {
  Coverage coverage(output(touching(0, 0, 100, 100)));
  EXPECT_EQ(coverage.share(), 0);
  EXPECT_TRUE(coverage.add(touching(0, 0, 100, 50)));
  EXPECT_NEAR(coverage.share(), 0.5, 0.05);
  EXPECT_FALSE(coverage.complete());
  EXPECT_FALSE(coverage.add(touching(0, 10, 100, 20))) << "nothing new";
  EXPECT_TRUE(coverage.add(touching(0, 50, 100, 50)));
  EXPECT_NEAR(coverage.share(), 1, 1e-9);
  EXPECT_TRUE(coverage.complete());
}

TEST(Coverage, ARowAlsoCoversTheRowsInItsLines) {
  Coverage beside(output(touching(1, 0, 1, 100))), below(output(touching(8, 0, 1, 100)));
  EXPECT_TRUE(beside.add(touching(0, 0, 1, 100)));
  EXPECT_TRUE(beside.complete());
  EXPECT_FALSE(below.add(touching(0, 0, 1, 100)));
}

TEST(Coverage, OfADisjointOperandIsZero) {
  Coverage coverage(output(touching(0, 0, 50, 50)));
  EXPECT_FALSE(coverage.add(touching(50, 50, 50, 50)));
  EXPECT_EQ(coverage.share(), 0);
}

TEST(Coverage, OfNothingIsComplete) { EXPECT_TRUE(Coverage(output(touching(0, 0, 0, 10))).complete()); }

}  // namespace
}  // namespace flopcast::tuning
