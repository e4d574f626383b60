#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/algorithm/variants.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::algorithm {
namespace {

/// Returns the routine that `algorithm` implements, in single or double precision, real or complex; nullptr if its family has no such
/// routine.
const Routine* routine_for(const Algorithm& algorithm, Precision precision) {
  return algorithm.family == "potrf_sygst" ? &potrf_sygst(precision) : kernel::find(static_cast<char>(precision) + algorithm.family);
}

/// Returns a call of `routine` in which every size is n, flags have their value number `choice`, and leading dimensions have room.
Call square_call(const Routine& routine, std::int64_t n, std::size_t choice) {
  Call call;
  call.routine = &routine;
  for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
    const Argument& argument = routine.arguments[i];
    switch (argument.kind) {
      case Kind::size: call.arguments[i] = n; break;
      case Kind::flag: call.arguments[i] = argument.values[choice % argument.values.size()]; break;
      case Kind::sign: call.arguments[i] = 1; break;
      case Kind::leading_dimension: call.arguments[i] = std::max<std::int64_t>(1, n + 3); break;
      default: break;
    }
  }
  return call;
}

/// Returns the expected ratio of operations: variants 4 and 8 of the triangular inverse do more than necessary.
double expected_factor(const Algorithm& algorithm) {
  return algorithm.family == "trtri" && (algorithm.variant == "4" || algorithm.variant == "8") ? 3 : 1;
}

TEST(EveryVariant, NeedsTheOperationsOfItsFamily) {
  constexpr std::int64_t n = 960;
  constexpr std::int64_t nb = 32;
  for (const Algorithm& algorithm : algorithms()) {
    for (const Precision precision : {Precision::d, Precision::z}) {
      const Routine* routine = routine_for(algorithm, precision);
      for (const std::size_t choice : {std::size_t{0}, std::size_t{1}}) {
        if (routine != nullptr) {
          const Call call = square_call(*routine, n, choice);
          const double ratio = flops(record(call, {.nb = nb, .nbmin = 2, .nx = 0}, algorithm)) / flops(call);
          const double lower_order = 2.0 * nb / n * expected_factor(algorithm);
          EXPECT_NEAR(ratio, expected_factor(algorithm), lower_order) << routine->name << " " << algorithm.variant << " " << flags(call);
        }
      }
    }
  }
}

/// Returns whether the trace has the allocations of the operands, and of one intermediate matrix if a variant of sygst needs it. Operands
/// elsewhere would appear as further local memory.
bool has_expected_allocations(const Trace& trace, Call call, const Algorithm& algorithm) {
  const std::size_t operand_count = place_operands(call).size();
  const bool may_have_local = (algorithm.family == "sygst" || algorithm.family == "hegst") && !algorithm.is_default;
  return trace.allocations.size() == operand_count || (may_have_local && trace.allocations.size() == operand_count + 1);
}

bool lies_within(const Region& region, const std::vector<Allocation>& allocations) {
  return std::any_of(allocations.begin(), allocations.end(), [&](const Allocation& allocation) {
    return region.begin() >= allocation.address && region.end() <= allocation.address + static_cast<std::uintptr_t>(allocation.bytes);
  });
}

/// Returns the first operand of a call outside of all allocations, or an empty text.
std::string operand_outside(const Trace& trace) {
  for (const Call& call : trace.calls) {
    for (const Operand& operand : operands(call)) {
      for (const Region& part : operand.parts) {
        if (!lies_within(part, trace.allocations)) {
          return to_string(call) + ": " + call.routine->arguments[operand.argument].name;
        }
      }
    }
  }
  return "";
}

TEST(EveryVariant, StaysInsideItsAllocations) {
  for (const Algorithm& algorithm : algorithms()) {
    for (const Precision precision : {Precision::s, Precision::z}) {
      const Routine* routine = routine_for(algorithm, precision);
      for (const std::int64_t n : {0, 1, 2, 7, 16, 33, 50}) {
        for (const std::int64_t nb : {1, 4, 7, 16, 64}) {
          for (const std::size_t choice : {std::size_t{0}, std::size_t{1}}) {
            if (routine != nullptr) {
              const Call call = square_call(*routine, n, choice);
              const Trace trace = record(call, {.nb = nb, .nbmin = 2, .nx = 0}, algorithm);
              ASSERT_TRUE(has_expected_allocations(trace, call, algorithm)) << algorithm.variant << " n " << n << " nb " << nb;
              ASSERT_EQ(operand_outside(trace), "") << algorithm.variant << " n " << n << " nb " << nb;
            }
          }
        }
      }
    }
  }
}

TEST(EveryVariant, MakesNoCallForEmptyMatrices) {
  for (const Algorithm& algorithm : algorithms()) {
    if (const Routine* routine = routine_for(algorithm, Precision::d)) {
      EXPECT_THAT(record(square_call(*routine, 0, 0), {.nb = 8, .nbmin = 2, .nx = 0}, algorithm).calls, testing::IsEmpty())
          << routine->name << " " << algorithm.variant;
    }
  }
}

TEST(Sygst, ProductsHaveLapacksVariantOnly) {
  Call call = square_call(kernel::require("dsygst"), 20, 0);
  call.arguments[0] = 2;
  EXPECT_NO_THROW(record(call, {.nb = 8}));
  EXPECT_THROW(record(call, {.nb = 8}, "3"), Error);
}

TEST(Sygst, NamesItsIntermediateMatrix) {
  const Trace trace = record(square_call(kernel::require("dsygst"), 20, 0), {.nb = 8}, "3");
  ASSERT_EQ(trace.allocations.size(), 3U);
  EXPECT_EQ(trace.allocations[2].name, "local0");
  EXPECT_EQ(trace.allocations[2].bytes, 20 * 20 * 8);
}

TEST(Potrf, RecursionEndsAtTheBlockSize) {
  const Trace trace = record(square_call(kernel::require("dpotrf"), 48, 0), {.nb = 24}, "recursive");
  std::vector<std::string> names;
  for (const Call& call : trace.calls) {
    names.push_back(call.routine->name);
  }
  EXPECT_THAT(names, testing::ElementsAre("dpotf2", "dtrsm", "dsyrk", "dpotf2"));
}

}  // namespace
}  // namespace flopcast::algorithm
