#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "flopcast/cache/placement.hpp"
#include "flopcast/tasks/programs/what_if_evaluation.hpp"
#include "tests/kernel/plain_call.hpp"
#include "tests/moody_machine.hpp"
#include "tests/program/program_in_memory.hpp"
#include "tests/tasks/programs/moody_library.hpp"

namespace flopcast::tests {
namespace {

constexpr int calls = 40;
constexpr double times_faster = 1.3;  ///< library "fast" over library "slow"

Call product(std::int64_t n) { return kernel::call("dgemm", {'N', 'N', n, n, n, 0x100000, n, 0x200000000, n, 0x300000000, n}); }

std::int64_t order(int call) { return 100 + 10 * (call % 8); }

/// Returns the true time of the program with a library, without moods.
Seconds program_seconds(double speed) {
  Seconds sum = 0;
  for (int c = 0; c < calls; ++c) {
    sum += synthetic_seconds(product(order(c))) / speed;
  }
  return sum;
}

/// A program of products whose recorded run was `factor` times as slow as the truth.
program::ProgramInMemory recorded_program(double factor) {
  program::ProgramTrace trace;
  trace.summary.names = {"dgemm"};
  trace.summary.finished = true;
  trace.summary.loaded = 1;
  trace.summary.threads.push_back({100, 200});
  trace.events.emplace_back();
  Seconds now = 0;
  for (int c = 0; c < calls; ++c) {
    program::ProgramEvent event;
    event.call = product(order(c));
    event.start = now;
    event.seconds = synthetic_seconds(event.call) * factor;
    now += event.seconds;
    trace.events[0].push_back(event);
  }
  trace.summary.seconds = now;
  return program::ProgramInMemory(trace);
}

/// Returns the share of later runs that lie within the intervals of the answers to `question`.
double share_within(const std::string& question, bool is_here) {
  static constexpr int machines = 60, runs = 30;
  double within = 0, all = 0;
  for (int m = 0; m < machines; ++m) {
    MoodyMachine machine(static_cast<std::uint64_t>(1000 + m));
    WhatIfServices services;
    services.open = [&](const machine::LibraryChoice& libraries, bool) {
      return std::make_unique<MoodyLibrary>(machine, libraries.blas == "fast" ? times_faster : 1);
    };
    services.require_usable = [](const WhatIf&, const machine::LibraryChoice&) {};
    services.has_one_thread = [](const std::string&) { return true; };
    services.is_here = [&](const program::RecordedPlace&) { return is_here; };
    program::RecordedPlace place;
    place.blas = "slow";
    place.threads = 1;
    EvaluationOptions options;
    options.one_thread_remedy = [](const WhatIf&) { return ""; };
    const program::ProgramInMemory program = recorded_program(machine.later_run());
    const program::ProgramBreakdown breakdown(program);
    const WhatIf asked = parse_what_if(question);
    const WhatIfResult result = evaluate({asked}, program, breakdown, place, options, services, {}).front().result;
    EXPECT_EQ(result.failure, "");
    for (int r = 0; r < runs; ++r) {
      const Seconds seconds = program_seconds(asked.blas == "fast" ? times_faster : 1) * machine.later_run();
      within += seconds >= result.interval.low && seconds <= result.interval.high ? 1 : 0;
      all += 1;
    }
  }
  return within / all;
}

struct Question {
  std::string name, asked;
  bool is_here;  ///< the recording was made on this machine
};

void PrintTo(const Question& question, std::ostream* out) { *out << question.name; }

class Intervals : public ::testing::TestWithParam<Question> {};

/// The machine's speed differs between sessions, moments and processes, which are the sources of which an interval consists.
TEST_P(Intervals, ContainLaterRunsOfRecordedPrograms) {
  const double share = share_within(GetParam().asked, GetParam().is_here);
  EXPECT_GE(share, 0.90);
  EXPECT_LE(share, 0.98);
}

INSTANTIATE_TEST_SUITE_P(Questions, Intervals,
                         ::testing::Values(Question{"TheSame", "same", true}, Question{"AnotherLibrary", "blas=fast", true},
                                           Question{"AnotherLibraryElsewhere", "blas=fast", false}),
                         [](const auto& suite) { return suite.param.name; });

}  // namespace
}  // namespace flopcast::tests
