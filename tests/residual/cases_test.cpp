#include "flopcast/residual/cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"

namespace flopcast::residual {
namespace {

TEST(GeneratedCalls, AreLegalAndTheSameForTheSameSeed) {
  const Routine& trsm = kernel::require("ztrsm");
  EXPECT_EQ(generated_calls(trsm, 5, 1), generated_calls(trsm, 5, 1));
  EXPECT_NE(generated_calls(trsm, 5, 1), generated_calls(trsm, 5, 2));
  for (std::int64_t round = 0; round < edge_rounds + 2; ++round) {
    for (const Call& call : generated_calls(trsm, round, 1)) {
      EXPECT_EQ(fault_of(call), "") << kernel::format_call(call);
    }
  }
}

TEST(GeneratedCalls, EveryRoutineHasSome) {
  for (const Routine& routine : kernel::catalogue()) {
    std::size_t calls = 0;
    for (std::int64_t round = 0; round < edge_rounds + 2; ++round) {
      calls += generated_calls(routine, round, 1).size();
    }
    EXPECT_GE(calls, 8U) << routine.name;
  }
}

TEST(GeneratedCalls, CoverEmptyOperandsWideLeadingDimensionsAndSpecialScalars) {
  const Routine& gemm = kernel::require("dgemm");
  const auto index = [&](const char* name) { return static_cast<std::size_t>(gemm.index(name)); };
  bool is_empty = false, is_wide = false, has_zero = false;
  for (std::int64_t round = 0; round < edge_rounds; ++round) {
    for (const Call& call : generated_calls(gemm, round, 3)) {
      is_empty |= call.arguments[index("m")] == 0;
      is_wide |= call.arguments[index("ldc")] > std::max<std::int64_t>(1, call.arguments[index("m")]);
      has_zero |= call.scalars[1] == 0.0;
    }
  }
  EXPECT_TRUE(is_empty && is_wide && has_zero);
}

}  // namespace
}  // namespace flopcast::residual
