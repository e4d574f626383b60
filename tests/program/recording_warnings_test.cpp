
#include <gmock/gmock.h>

#include "flopcast/program/program_breakdown.hpp"
#include "tests/kernel/plain_call.hpp"
#include "tests/program/program_in_memory.hpp"

namespace flopcast::program {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A run of 10 s on two threads of BLAS, with one call of 4 s in one thread and one of 1 s in the other.
ProgramTrace run_of_ten_seconds() {
  ProgramTrace trace;
  trace.summary.names = {"dpotrf"};
  trace.summary.finished = true;
  trace.summary.loaded = 1;
  trace.summary.seconds = 10;
  trace.summary.threads_option = 2;
  for (const Seconds seconds : {4.0, 1.0}) {
    trace.summary.threads.push_back({100, static_cast<std::uint32_t>(200 + trace.events.size())});
    ProgramEvent event;
    event.seconds = seconds;
    event.call = kernel::call("dpotrf", {'L', 100, 0x100000, 100});
    trace.events.push_back({event});
  }
  return trace;
}

std::vector<std::string> remarks(double cores_got, double other_cores, Seconds waited = 3) {
  ProgramTrace trace = run_of_ten_seconds();
  trace.summary.cores_got = cores_got;
  trace.summary.other_cores = other_cores;
  trace.summary.waited_seconds = waited;
  const ProgramInMemory program(trace);
  return recording_remarks(program.summary(), ProgramBreakdown(program));
}

TEST(RecordingRemarks, SayHowManyCoresTheProgramGotBesideOthers) {
  EXPECT_THAT(remarks(1.1, 1.9), Contains(AllOf(HasSubstr("the program got 1.1 of 2 cores while other programs kept 1.9 busy"),
                                                HasSubstr("Record it again when the machine is idle"))));
  EXPECT_THAT(remarks(1.1, 0.1), IsEmpty()) << "nobody took them: the program waits by itself";
  EXPECT_THAT(remarks(1.95, 1.9), IsEmpty()) << "there were enough";
  EXPECT_THAT(remarks(0, 1.9, 0), IsEmpty()) << "it slept, or an older recording doesn't tell";
}

TEST(RecordingRemarks, OwnCodeIsWhatTheBusiestThreadSpendsOutsideOfCalls) {
  const ProgramInMemory program(run_of_ten_seconds());
  EXPECT_DOUBLE_EQ(own_code_seconds(program.summary(), ProgramBreakdown(program)), 6);
}

}  // namespace
}  // namespace flopcast::program
