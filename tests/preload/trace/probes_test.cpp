#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "flopcast/program/program_recording.hpp"
#include "flopcast/program/program_trace.hpp"
#include "tests/program/blas/program_recordings.hpp"

namespace flopcast::program {
namespace {

class Probes : public ProgramRecording {
 protected:
  ProgramSummary summary(const std::string& what, bool probes) {
    RecordingOptions options{folder_ / "trace"};
    options.probes = probes;
    EXPECT_EQ(record_program({{FLOPCAST_RECORDED_PROGRAM, what}, {}, 1}, options), 0) << "a system call ended early";
    return ProgramTraceFile(folder_ / "trace").summary();
  }

  static Seconds seconds_of(const ProgramSummary& summary) {
    Seconds seconds = 0;
    for (const ProbedPlace& place : summary.probed) {
      seconds += place.seconds;
    }
    return seconds;
  }
};

TEST_F(Probes, FindTheProgramInItsOwnFileAndEndNoSystemCall) {
  const ProgramSummary found = summary("compute", true);
  const auto place = std::max_element(found.probed.begin(), found.probed.end(),
                                      [](const ProbedPlace& a, const ProbedPlace& b) { return a.seconds < b.seconds; });
  ASSERT_NE(place, found.probed.end());
  EXPECT_THAT(place->where, testing::HasSubstr("recorded_program"));
  EXPECT_GT(place->address, 0U);
  EXPECT_GE(seconds_of(found), 0.2) << "0.3 s of CPU time, also where a kernel loses probes";
  EXPECT_LE(seconds_of(found), 0.5) << "the child's end doesn't count them again";
}

TEST_F(Probes, AreNoneUnlessAsked) { EXPECT_EQ(seconds_of(summary("compute", false)), 0U); }

TEST_F(Probes, WatchFirstCalls) {
  const ProgramSummary watched = summary("singular-values", true);
  EXPECT_FALSE(watched.watched.empty());
  EXPECT_TRUE(summary("singular-values", false).watched.empty());
}

}  // namespace
}  // namespace flopcast::program
