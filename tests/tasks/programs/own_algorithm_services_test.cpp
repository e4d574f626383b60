#include "flopcast/tasks/programs/own_algorithm_services.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/kernel/plain_call.hpp"
#include "tests/program/program_in_memory.hpp"

namespace flopcast {
namespace {

/// Returns a thread with calls of dgemm at these times, each of half a second.
std::vector<program::ProgramEvent> thread_at(const std::vector<Seconds>& starts) {
  std::vector<program::ProgramEvent> events;
  for (const Seconds start : starts) {
    program::ProgramEvent& event = events.emplace_back();
    event.call = kernel::call("dgemm", {'N', 'N', 4, 4, 4, 0x100000, 4, 0x200000000, 4, 0x300000000, 4});
    event.start = start;
    event.seconds = 0.25;
    event.skipping = 0.25;
  }
  return events;
}

TEST(PartsOfPrograms, JoinThreadsThatFollowEachOther) {
  program::ProgramTrace trace;
  trace.events = {thread_at({1, 2, 3}), thread_at({2.5}), thread_at({4, 5})};
  trace.summary.threads.resize(3);
  const program::ProgramInMemory program(trace);
  const std::vector<CandidatePart> parts = parts_of(program, 10);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].trace.calls.size(), 5U);
  EXPECT_DOUBLE_EQ(parts[0].own_seconds, 7.5);
  EXPECT_EQ(parts[1].trace.calls.size(), 1U);
  EXPECT_DOUBLE_EQ(parts[1].own_seconds, 9.5);
  EXPECT_EQ(calls_of(program).at("dgemm NN 4 4 4").calls, 6);
  const std::vector<CandidatePart> none = parts_of(program::ProgramInMemory({}), 3);
  ASSERT_EQ(none.size(), 1U);
  EXPECT_EQ(none[0].own_seconds, 3);
}

TEST(PartsOfPrograms, CountTheTimeInWhichTheProgramHadACore) {
  program::ProgramSummary summary;
  summary.threads.resize(1);
  summary.cores_got = 0.4;
  EXPECT_EQ(share_of_core(summary), 1) << "the program waits by itself";
  summary.other_cores = 2;
  EXPECT_EQ(share_of_core(summary), 0.4);
  summary.cores_got = 1.3;
  EXPECT_EQ(share_of_core(summary), 1);
  summary.cores_got = 0;
  EXPECT_EQ(share_of_core(summary), 1) << "not known";
  summary.cores_got = 0.4;
  summary.threads.resize(2);
  EXPECT_EQ(share_of_core(summary), 1) << "threads wait for each other";
}

}  // namespace
}  // namespace flopcast
