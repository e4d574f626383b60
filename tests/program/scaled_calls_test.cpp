#include "flopcast/program/scaled_calls.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "tests/kernel/plain_call.hpp"
#include "tests/program/program_in_memory.hpp"

namespace flopcast::program {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

Call product(std::int64_t m, std::int64_t n, std::int64_t k) {
  return kernel::call("dgemm", {'N', 'N', m, n, k, 0x100000, m, 0x2000000000, k, 0x3000000000, m});
}
Call factorization(std::int64_t n) { return kernel::call("dpotrf", {'L', n, 0x100000, n}); }

/// A program that makes calls by its parameter.
using Program = std::function<std::vector<Call>(std::int64_t n)>;

class ScaledCalls : public ::testing::Test {
 protected:
  std::vector<ScaledKind> scale(const Program& program, std::int64_t to, const std::vector<std::int64_t>& parameters = {500, 1000, 2000}) {
    std::vector<ParameterRecording> recordings;
    for (const std::int64_t n : parameters) {
      ProgramTrace trace;
      trace.summary.threads = {{1, 1}};
      trace.events.emplace_back();
      for (const Call& call : program(n)) {
        ProgramEvent event;
        event.call = call;
        event.start = static_cast<double>(trace.events[0].size());
        event.seconds = 0.5;
        trace.events[0].push_back(event);
      }
      programs_.push_back(std::make_unique<ProgramInMemory>(trace));
      recordings.push_back({n, programs_.back().get()});
    }
    return scale_calls(recordings, to, {});
  }

  static double flops_of(const ScaledKind& kind) {
    return std::accumulate(kind.classes.begin(), kind.classes.end(), 0.0,
                           [](double sum, const CallClass& one) { return sum + one.count.value * flops(one.scaled.call); });
  }
  static double flops_of(const std::vector<Call>& calls) {
    return std::accumulate(calls.begin(), calls.end(), 0.0, [](double sum, const Call& call) { return sum + flops(call); });
  }

 private:
  std::vector<std::unique_ptr<ProgramInMemory>> programs_;
};

TEST_F(ScaledCalls, OfAStraightProgramAreThoseOfTheLargerOne) {
  const Program program = [](std::int64_t n) {
    return std::vector{product(n, n, n), product(n, n / 2, 10), factorization(n + 1), product(n, n, n)};
  };
  const std::vector<ScaledKind> kinds = scale(program, 8000);
  ASSERT_THAT(kinds, SizeIs(2));
  EXPECT_EQ(kinds[0].routine, "dgemm");
  ASSERT_THAT(kinds[0].classes, SizeIs(2));
  EXPECT_EQ(kinds[0].classes[0].sizes, "m=n n=n k=n");
  EXPECT_EQ(kinds[0].classes[0].count.value, 2);
  EXPECT_EQ(kinds[0].classes[1].sizes, "m=n n=n/2 k=10");
  EXPECT_EQ(kinds[0].seconds.back(), 1.5);
  EXPECT_EQ(kinds[1].classes[0].scaled.call.arguments[1], 8001);
  EXPECT_EQ(flops_of(kinds[0]) + flops_of(kinds[1]), flops_of(program(8000)));
}

TEST_F(ScaledCalls, OfALoopOverTilesAreCountedExactly) {
  const Program program = [](std::int64_t n) {
    std::vector<Call> calls;
    for (std::int64_t k = 0; k < n / 50; ++k) {
      calls.push_back(factorization(50));
      for (std::int64_t i = k + 1; i < n / 50; ++i) {
        calls.push_back(product(50, 50, 50));
      }
    }
    return calls;
  };
  const std::vector<ScaledKind> kinds = scale(program, 8000);
  EXPECT_EQ(kinds[0].classes[0].count.formula, "(n/50)^2/2 - (n/50)/2");
  EXPECT_EQ(flops_of(kinds[0]) + flops_of(kinds[1]), flops_of(program(8000)));
}

TEST_F(ScaledCalls, OfABlockedLoopHaveTheLargerOnesWork) {
  for (const std::int64_t nb : {32, 64, 100}) {
    const Program program = [nb](std::int64_t n) {
      std::vector<Call> calls;
      for (std::int64_t j = 0; j < n; j += nb) {
        const std::int64_t width = std::min(nb, n - j), rest = n - j - width;
        calls.push_back(factorization(width));
        if (rest > 0) {
          calls.push_back(product(rest, rest, width));
        }
      }
      return calls;
    };
    const std::vector<ScaledKind> kinds = scale(program, 8000);
    EXPECT_EQ(kinds[0].refusal + kinds[1].refusal, "");
    EXPECT_NEAR(flops_of(kinds[0]) / flops_of(program(8000)), 1, 0.06) << nb;
  }
}

TEST_F(ScaledCalls, OfAnIterationThatVariesAreUncertain) {
  const std::vector<ScaledKind> kinds = scale(
      [](std::int64_t n) {
        return std::vector<Call>(n == 500 ? 30 : n == 1000 ? 33 : 31, product(n, 1, n));
      },
      8000);
  const Growth& count = kinds[0].classes.at(0).count;
  EXPECT_EQ(kinds[0].refusal, "");
  EXPECT_NEAR(count.value, 32, 4);
  EXPECT_GT(count.interval.high - count.interval.low, 1);
}

TEST_F(ScaledCalls, ThatFollowNoGrowthAreRefused) {
  const std::vector<ScaledKind> wild =
      scale([](std::int64_t n) { return std::vector<Call>(n == 1000 ? 900 : 10, product(n, n, n)); }, 8000);
  EXPECT_THAT(wild[0].refusal, HasSubstr("10, 900, 10"));
  const std::vector<ScaledKind> missing = scale(
      [](std::int64_t n) {
        return n == 500 ? std::vector{product(n, n, n)} : std::vector{product(n, n, n), factorization(n)};
      },
      8000);
  EXPECT_EQ(missing[0].refusal, "");
  EXPECT_THAT(missing[1].refusal, HasSubstr("500"));
}

TEST_F(ScaledCalls, HaveDistancesThatGrow) {
  const std::vector<ScaledKind> kinds = scale([](std::int64_t n) { return std::vector{product(n, n, n), product(n, n, n)}; }, 8000);
  const CallClass& one = kinds[0].classes.at(0);
  const double growth =
      static_cast<double>(one.scaled.placement[0].distance_bytes) / static_cast<double>(one.recorded.back().placement[0].distance_bytes);
  EXPECT_NEAR(growth, 16, 0.1);
}

}  // namespace
}  // namespace flopcast::program
