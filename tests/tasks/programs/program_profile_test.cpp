#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/program/program_timeline.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "tests/own_folder.hpp"
#include "tests/program/recording_file.hpp"

namespace flopcast {
namespace {

using testing::ElementsAre;

CallTotals totals_of(std::int64_t calls) { return {{calls, 1, 2, 100, 50, 0.5, 0.25, 0, 0}, 400, 0.75}; }

TEST(CallTotals, RatesOfASumCountDescribedCallsOnly) {
  const CallTotals sum = total_of({totals_of(1), totals_of(2)}, PeakRate{1000, ""});
  EXPECT_EQ(sum.calls, 3);
  EXPECT_DOUBLE_EQ(sum.flops_per_second.value(), 200 / 0.5);
  EXPECT_DOUBLE_EQ(sum.of_peak.value(), 100 / 0.5 / 1000);
  EXPECT_FALSE(total_of({totals_of(1)}, std::nullopt).of_peak);
}

TEST(SizeSpans, ShowOneNumberWhereBothEndsAreEqual) {
  EXPECT_EQ(to_string(std::vector<program::SizeSpan>{{"m", 100, 100}, {"n", 64, 127}}), "m=100 n=64..127");
  EXPECT_EQ(to_string(std::vector<program::SizeSpan>()), "");
}

/// A recording of two threads. The first has dpotrf n = 4 (30 ns), n = 5 (20 ns) and dgesvd (25 ns) by name, the second, of another process,
/// ddot n = 8 (5 ns).
class ProgramProfiles : public testing::Test {
 protected:
  ProgramProfiles() {
    program::File file;
    program::Contents first, other;
    program::put_dpotrf(first, 0, 4, 0x1000, 30);
    program::put_dpotrf(first, 40, 5, 0x1000, 20);
    program::put_header(first, program::dgesvd, 70, 25);
    program::put_ddot(other, 50, 8, 0x1000, 0x5000);
    file.add(protocol::ChunkKind::sealed, 0, 0, 0, first);
    file.add(protocol::ChunkKind::sealed, 1, 0, 0, other, 200);
    std::ofstream(recording_, std::ios::binary)
        .write(reinterpret_cast<const char*>(file.bytes().data()), static_cast<std::streamsize>(file.size()));
    context_.note = [this](const std::string& text) { notes_.push_back(text); };
  }

  tests::OwnFolder folder_;
  std::string recording_ = (folder_.path() / "trace").string();
  RunContext context_;
  std::vector<std::string> notes_;
};

TEST_F(ProgramProfiles, AddUpARecording) {
  ProfileRequest request;
  request.recording = recording_;
  request.with_peak = false;
  const ProgramProfile profile = profile_program(request, context_);
  EXPECT_THAT(profile.command, ElementsAre("a.out", "x"));
  EXPECT_EQ(profile.all.calls, 4);
  EXPECT_NEAR(profile.all.seconds, 80e-9, 1e-15);
  ASSERT_EQ(profile.routines.size(), 3U);
  EXPECT_EQ(profile.routines[0].routine, "dpotrf");
  EXPECT_NEAR(profile.routines[0].seconds, 50e-9, 1e-15);
  EXPECT_TRUE(profile.routines[0].described);
  EXPECT_EQ(profile.routines[1].routine, "dgesvd");
  EXPECT_FALSE(profile.routines[1].described);
  EXPECT_EQ(profile.routines[2].routine, "ddot");
  EXPECT_EQ(profile.thread_count, 2U);
  EXPECT_EQ(profile.threads.at(0).heaviest, "dpotrf");
  EXPECT_EQ(profile.processes.size(), 2U);
  EXPECT_FALSE(profile.peak);
  EXPECT_FALSE(profile.all.of_peak);
}

TEST_F(ProgramProfiles, HaveABoundedTimeline) {
  ProfileRequest request;
  request.recording = recording_;
  request.with_peak = false;
  const ProgramProfile profile = profile_program(request, context_);
  ASSERT_TRUE(profile.timeline);
  EXPECT_THAT(profile.timeline->routines, ElementsAre("dpotrf", "dgesvd", "ddot"));
  ASSERT_EQ(profile.timeline->threads.size(), 2U);
  EXPECT_EQ(profile.timeline->threads[1].tid, profile.threads.at(1).tid);
  for (const ProgramProfile::Timeline::Thread& thread : profile.timeline->threads) {
    ASSERT_EQ(thread.shares.size(), 3U);
    EXPECT_EQ(split(thread.shares[0], ' ').size(), ProgramProfile::Timeline::max_bins);
  }
  EXPECT_EQ(profile.timeline->threads[0].shares[0].substr(0, 8), "100 100 ") << "the run begins with dpotrf";
}

TEST_F(ProgramProfiles, TheTimelineGivesSharesOfBins) {
  const program::ProgramTraceFile recorded(recording_);
  const auto timeline = program::program_timeline(recorded, program::ProgramBreakdown(recorded), 19, 1);  // from 0 to 95 ns: 5 ns each
  EXPECT_NEAR(timeline.begin, 0, 1e-15);
  EXPECT_NEAR(timeline.end, 95e-9, 1e-15);
  EXPECT_THAT(timeline.routines, ElementsAre("dpotrf"));
  ASSERT_EQ(timeline.busy.size(), 2U);
  EXPECT_NEAR(timeline.busy[0][0][0], 1, 1e-6) << "dpotrf from 0 to 30 ns";
  EXPECT_NEAR(timeline.busy[0][6][0], 0, 1e-6) << "nothing from 30 to 40 ns";
  EXPECT_NEAR(timeline.busy[0][14][1], 1, 1e-6) << "dgesvd, one of the others";
  EXPECT_NEAR(timeline.busy[1][10][1], 1, 1e-6) << "ddot from 50 to 55 ns";
}

}  // namespace
}  // namespace flopcast
