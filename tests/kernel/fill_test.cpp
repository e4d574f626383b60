#include "flopcast/kernel/fill.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "tests/kernel/reference/arguments.hpp"
#include "tests/kernel/reference/cases.hpp"

namespace flopcast::kernel {
namespace {

using reference::Extent;
using reference::GuardedMemory;

template <class T>
std::int64_t address(T& value) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(&value));
}

bool is_normal_or_zero(std::complex<double> value) {
  const auto fine = [](double part) { return part == 0 || (std::abs(part) > 1e-30 && std::abs(part) < 1e30); };
  return fine(value.real()) && fine(value.imag());
}

TEST(Fill, WritesExactlyTheDataThatEveryRoutineReads) {
  for (const Routine& routine : catalogue()) {
    for (Call call : reference::cases(routine, Extent::small)) {
      const GuardedMemory memory(call);
      fill(call, 7);
      for (const GuardedMemory::Block& block : memory.blocks()) {
        const Argument& argument = routine.arguments[block.argument];
        const std::vector<bool> mask = reference::footprint_mask(call, block);
        const auto bytes = static_cast<std::size_t>(argument_element_bytes(call, block.argument));
        for (std::size_t i = 0; i < block.bytes.size(); ++i) {
          if (!mask[i] || argument.access == Access::write) {
            ASSERT_EQ(block.bytes[i], std::byte{0xff}) << format_call(call) << ": byte " << i << " of " << argument.name;
          }
        }
        for (std::int64_t i = 0; i < span_elements(call, block.argument); ++i) {
          if (mask[block.begin + static_cast<std::size_t>(i) * bytes] && argument.access != Access::write) {
            const std::complex<double> value = reference::element_in_memory(call, block.argument, static_cast<std::size_t>(i));
            ASSERT_TRUE(is_normal_or_zero(value)) << format_call(call) << ": element " << i << " of " << argument.name << " is " << value;
          }
        }
      }
    }
  }
}

TEST(Fill, IsDeterministicInItsSeed) {
  const auto filled = [](std::uint64_t seed) {
    Call call = parse_call(require("dgemm"), {{"m", "20"}, {"n", "20"}, {"k", "20"}});
    const GuardedMemory memory(call);
    fill(call, seed);
    std::vector<std::vector<std::byte>> bytes;
    for (const GuardedMemory::Block& block : memory.blocks()) {
      bytes.push_back(block.bytes);
    }
    return bytes;
  };
  EXPECT_EQ(filled(1), filled(1));
  EXPECT_NE(filled(1), filled(2));
}

TEST(Fill, GivesIndependentColumnsAndNoZeros) {
  Call call = parse_call(require("sgetrf"), {{"m", "300"}, {"n", "300"}, {"lda", "300"}});
  const GuardedMemory memory(call);
  fill(call, 1);
  const auto i = static_cast<std::size_t>(call.routine->index("A"));
  std::vector<double> first_rows;
  for (std::size_t element = 0; element < 300 * 300; ++element) {
    const double value = reference::element_in_memory(call, i, element).real();
    ASSERT_NE(value, 0);
    ASSERT_LE(std::abs(value), 1);
    if (element % 300 == 0) {
      first_rows.push_back(value);
    }
  }
  std::sort(first_rows.begin(), first_rows.end());
  EXPECT_EQ(std::adjacent_find(first_rows.begin(), first_rows.end()), first_rows.end());
}

/// 31 complex columns of 131 elements take 8122 numbers of a table. If the signs didn't have another period, later columns would be copies
/// of earlier ones.
TEST(Fill, GivesColumnsThatAreNoCopies) {
  Call call = parse_call(require("zgetrf"), {{"m", "131"}, {"n", "500"}, {"lda", "131"}});
  const GuardedMemory memory(call);
  fill(call, 1);
  const auto i = static_cast<std::size_t>(call.routine->index("A"));
  for (std::size_t one = 0; one < 500; ++one) {
    for (std::size_t other = one + 1; other < 500; ++other) {
      std::size_t same = 0;
      for (std::size_t row = 0; row < 3; ++row) {
        same +=
            reference::element_in_memory(call, i, one * 131 + row) == reference::element_in_memory(call, i, other * 131 + row) ? 1U : 0U;
      }
      ASSERT_LT(same, 3U) << "columns " << one << " and " << other;
    }
  }
}

TEST(Fill, PermutedMatricesHaveOneLargeElementInEveryRowAndColumn) {
  for (const std::int64_t n : {1, 2, 3, 6, 10, 64}) {
    Call call = parse_call(require("dgesv"), {{"n", std::to_string(n)}, {"nrhs", "1"}, {"lda", std::to_string(n)}});
    const GuardedMemory memory(call);
    fill(call, 1);
    const auto i = static_cast<std::size_t>(call.routine->index("A"));
    std::vector<std::int64_t> rows;
    std::int64_t moved = 0;
    for (std::int64_t element = 0; element < n * n; ++element) {
      if (reference::element_in_memory(call, i, static_cast<std::size_t>(element)) == 1.0) {
        rows.push_back(element % n);
        EXPECT_EQ(static_cast<std::int64_t>(rows.size()) - 1, element / n) << "one per column";
        moved += rows.back() != element / n ? 1 : 0;
      }
    }
    EXPECT_GE(moved, n - 2) << "of order " << n << " nearly all rows are swapped";
    std::sort(rows.begin(), rows.end());
    for (std::int64_t row = 0; row < n; ++row) {
      ASSERT_EQ(rows.at(static_cast<std::size_t>(row)), row);
    }
  }
}

TEST(Fill, LeavesOperandsWithoutAddressOut) {
  const Call call = parse_call(require("dgemm"), {{"m", "20"}, {"n", "20"}, {"k", "20"}});
  EXPECT_NO_FATAL_FAILURE(fill(call, 1));
}

TEST(Fill, PivotsAreInRange) {
  Call call = parse_call(require("dlaswp"), {{"n", "3"}, {"k1", "3"}, {"k2", "9"}});
  const GuardedMemory memory(call);
  fill(call, 5);
  const auto i = static_cast<std::size_t>(call.routine->index("ipiv"));
  for (std::size_t row = 2; row < 9; ++row) {
    const double pivot = reference::element_in_memory(call, i, row).real();
    EXPECT_GE(pivot, static_cast<double>(row + 1));
    EXPECT_LE(pivot, 9);
  }
}

TEST(Skip, LeavesIdentityPivotsAndNoError) {
  Call call = parse_call(require("dgetrf"), {{"m", "5"}, {"n", "4"}});
  std::array<std::int32_t, 5> pivots{};
  std::int32_t info = 17;
  call.arguments[4] = address(pivots);
  call.arguments[5] = address(info);
  skip(call);
  EXPECT_EQ(pivots, (std::array<std::int32_t, 5>{1, 2, 3, 4, 0}));
  EXPECT_EQ(info, 0);
}

TEST(Skip, LeavesAsManyColumnsFactoredAsItsPivotsSay) {
  for (const char* uplo : {"L", "U"}) {
    Call call = parse_call(require("dlasyf"), {{"n", "6"}, {"nb", "3"}, {"uplo", uplo}});
    std::int32_t factored = 17, info = 17;
    std::array<std::int32_t, 6> pivots{};
    call.arguments[3] = address(factored);
    call.arguments[6] = address(pivots);
    call.arguments[9] = address(info);
    skip(call);
    EXPECT_TRUE(factored == 2 || factored == 3);
    EXPECT_EQ(info, 0);
    EXPECT_EQ(pivots, *uplo == 'L' ? (std::array<std::int32_t, 6>{1, 2, 3}) : (std::array<std::int32_t, 6>{0, 0, 0, 4, 5, 6}));
  }
  Call all = parse_call(require("dlasyf"), {{"n", "3"}, {"nb", "8"}});
  std::int32_t factored = 17;
  all.arguments[3] = address(factored);
  skip(all);
  EXPECT_EQ(factored, 3);
}

/// The data decide if the last pivot of a panel is 2 x 2. Skipped calls end with a 2 x 2 pivot equally often.
TEST(Skip, PanelsFactorOnAverageAsManyColumnsAsOfRandomMatrices) {
  const std::map<std::string, double> single = {{"dlasyf", 2.0 / 3}, {"zlasyf", 0.8}, {"clahef", 0.6}};
  for (const auto& [routine, share] : single) {
    for (const std::int64_t nb : {15, 16, 32}) {
      const std::int64_t order = 3000;
      std::int64_t left = order, panels = 0;
      while (left > nb) {
        Call call = parse_call(require(routine), {{"n", std::to_string(left)}, {"nb", std::to_string(nb)}});
        std::int32_t factored = 0;
        call.arguments[3] = address(factored);
        skip(call);
        ASSERT_TRUE(factored == nb - 1 || factored == nb);
        left -= factored;
        ++panels;
      }
      EXPECT_NEAR(static_cast<double>(order - left) / static_cast<double>(panels), static_cast<double>(nb) - share, 0.1) << routine << nb;
    }
  }
}

TEST(Skip, LeavesOutputsThatSteerControlFlow) {
  double scale = -5;
  Call sylvester = parse_call(require("ztrsyl"), {{"m", "2"}, {"n", "2"}});
  sylvester.arguments[11] = address(scale);
  skip(sylvester);
  EXPECT_EQ(scale, 1);

  std::array<float, 3> tau = {-5, -5, -5};
  Call reflector = parse_call(require("clarfg"), {{"n", "4"}});
  reflector.arguments[4] = address(tau);
  skip(reflector);
  EXPECT_EQ(tau, (std::array<float, 3>{0, 0, -5}));
}

TEST(Skip, AnswersQueriesOfTheWorkSpace) {
  Call call = parse_call(require("dgeqrf"), {{"m", "100"}, {"n", "30"}});
  const auto suffices = static_cast<double>(call.arguments[6]);
  double work = 0;
  call.arguments[5] = address(work);
  call.arguments[6] = -1;
  skip(call);
  EXPECT_EQ(work, suffices);
  EXPECT_GE(work, 30 * 64);
}

TEST(Skip, GivesFunctionsAResult) {
  EXPECT_EQ(skip(parse_call(require("idamax"), {{"n", "7"}})).value, 1.0);
  EXPECT_EQ(skip(parse_call(require("idamax"), {{"n", "0"}})).value, 0.0);
  EXPECT_EQ(skip(parse_call(require("dnrm2"), {{"n", "7"}})).value, 1.0);
}

TEST(Decides, IsTrueForResultsThatAProgramMayTest) {
  for (const char* name : {"idamax", "dnrm2", "zdotc", "dgetrf"}) {
    EXPECT_TRUE(decides(require(name))) << name;
  }
  for (const char* name : {"dgemm", "dpotrf", "dgeqrf", "dtrsm"}) {
    EXPECT_FALSE(decides(require(name))) << name;
  }
}

}  // namespace
}  // namespace flopcast::kernel
