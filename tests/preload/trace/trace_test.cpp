#include "flopcast/program/program_recording.hpp"

#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/program_trace.hpp"
#include "tests/program/blas/program_recordings.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST_F(ProgramRecording, KeepsEveryCallOfEveryThreadHoweverTheProgramEnds) {
  for (const auto& [what, exit_code] :
       std::map<std::string, int>{{"plain", 0}, {"abort", 128 + SIGABRT}, {"kill", 128 + SIGKILL}, {"_exit", 3}}) {
    const ProgramTrace trace = record(what, exit_code);
    EXPECT_THAT(counts(trace), ElementsAre(Pair("daxpy", 5000))) << what;
    EXPECT_EQ(trace.summary.exit_code, exit_code);
    EXPECT_EQ(trace.summary.damaged, 0U);
  }
}

TEST_F(ProgramRecording, SeparatesThreads) {
  const ProgramTrace trace = record("threads");
  ASSERT_EQ(trace.events.size(), 5U);
  EXPECT_THAT(counts(trace), ElementsAre(Pair("daxpy", 5000 + 4 * 3000)));
  for (std::size_t t = 0; t < 5; ++t) {
    EXPECT_EQ(trace.events[t].size(), t == 0 ? 5000U : 3000U);
    for (std::size_t i = 1; i < trace.events[t].size(); ++i) {
      ASSERT_LE(trace.events[t][i - 1].start, trace.events[t][i].start);
    }
  }
}

TEST_F(ProgramRecording, RecordsAllInterfacesAsColumnMajor) {
  const ProgramTrace trace = record("interfaces");

  EXPECT_THAT(texts(trace),
              ElementsAre("dgemm(N, T, 64, 64, 64, 1", "dgemm(T, N, 16, 8, 32, 1", "dtrsm(R, L, N, N, 16, 8, 1", "zdotu(5",
                          testing::AnyOf("dnrm2(4096", "dlansy", "idamax(5"), testing::AnyOf("dnrm2(4096", "dlansy", "idamax(5"),
                          testing::AnyOf("dnrm2(4096", "dlansy", "idamax(5")));
  EXPECT_THAT(trace.summary.libraries, Contains(HasSubstr("blas")));
}

/// No exception of the CPU tells of a quiet NaN. The lower triangle of the last product has none; the upper one, which the call leaves alone,
/// has those of the call before.
TEST_F(ProgramRecording, NotesNanAmongTheResults) {
  const std::vector<ProgramEvent> events = record("not-a-number").events.at(0);
  ASSERT_EQ(events.size(), 5U);
  EXPECT_FALSE(events[0].has_nan);
  EXPECT_TRUE(events[1].has_nan);
  EXPECT_TRUE(events[2].has_nan);
  EXPECT_TRUE(events[3].has_nan);
  EXPECT_FALSE(events[4].has_nan);
  const ProgramBreakdown breakdown{ProgramTraceFile(folder_ / "trace")};
  EXPECT_NEAR(breakdown.all().invalid_seconds, events[1].seconds + events[2].seconds + events[3].seconds, 1e-9);
}

#if defined(__x86_64__)
TEST_F(ProgramRecording, NotesNumbersThatMayBeSlow) {
  const std::vector<ProgramEvent> events = record("odd-numbers").events.at(0);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_TRUE(events[0].met_denormals);
  EXPECT_FALSE(events[0].met_invalid);
  EXPECT_TRUE(events[1].met_invalid);
  EXPECT_FALSE(events[2].met_denormals || events[2].met_invalid);
}

/// LAPACK itself computes with NaN, Inf and very small numbers in these routines.
TEST_F(ProgramRecording, SingularValuesOfOrdinaryNumbersCountAsOrdinary) {
  record("odd-numbers");
  const ProgramBreakdown odd{ProgramTraceFile(folder_ / "trace")};
  EXPECT_GT(odd.all().denormal_seconds, 0);
  EXPECT_GT(odd.all().invalid_seconds, 0);

  ASSERT_EQ(record("singular-values").events.at(0).size(), 1U);
  const ProgramBreakdown ordinary{ProgramTraceFile(folder_ / "trace")};
  EXPECT_EQ(ordinary.all().denormal_seconds, 0);
  EXPECT_EQ(ordinary.all().invalid_seconds, 0);
}
#endif

TEST_F(ProgramRecording, NotesWorkspaceQueries) {
  const std::vector<ProgramEvent> events = record("workspaces").events.at(0);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_FALSE(events[0].size_was_queried);
  EXPECT_TRUE(events[1].size_was_queried);
}

TEST_F(ProgramRecording, NotesHowLongThreadsWaitForACore) {
  const std::string burn = "awk 'BEGIN { for (i = 0; i < 2000000; ++i) s += i }'";
  const auto recorded = [&](const std::string& script) {
    EXPECT_EQ(record_program({{"/bin/sh", "-c", script}, {}, 1}, {folder_ / "trace", false, {}}), 0);
    return read_program_trace(folder_ / "trace").summary;
  };
  const machine::PinnedFor pinned({sched_getcpu()});
  const ProgramSummary alone = recorded(burn);
  EXPECT_LT(alone.waited_seconds, alone.seconds) << "one thread waits no longer than the program takes";
  const ProgramSummary rivals = recorded(burn + " & " + burn + "; wait");
  EXPECT_GT(rivals.waited_seconds, 0.2 * rivals.seconds) << "they have one core";
  const ProgramSummary sleeper = recorded("sleep 1");
  EXPECT_LT(sleeper.waited_seconds, 0.5 * sleeper.seconds);
}

TEST_F(ProgramRecording, NotesOnHowManyCpusTheProgramCouldRun) {
  const auto recorded_cpus = [&](const std::string& starter) {
    const std::string script = starter + " " FLOPCAST_RECORDED_PROGRAM " plain; true";  // the shell makes no calls
    EXPECT_EQ(record_program({{"/bin/sh", "-c", script}, {}, 1}, {folder_ / "trace", false, {}}), 0);
    return static_cast<std::size_t>(read_program_trace(folder_ / "trace").summary.cpus);
  };
  EXPECT_EQ(recorded_cpus(""), machine::detect_topology().usable.size());
  EXPECT_EQ(recorded_cpus("taskset -c " + std::to_string(sched_getcpu())), 1U);
}

/// The library's own report counts, not the environment variables.
TEST_F(ProgramRecording, RecordsThreadsAndKernelsOfLibraries) {
  const LibraryFiles openblas{machine::locate("openblas", machine::Role::blas), {}};
  const fs::path file = folder_ / "trace";
  ASSERT_EQ(record_program({{FLOPCAST_RECORDED_PROGRAM, "plain"}, openblas, 1}, {file, false, {}}), 0);
  const ProgramTrace trace = read_program_trace(file);
  ASSERT_FALSE(trace.summary.states.empty());
  EXPECT_EQ(trace.summary.states[0].threads, 1);
  EXPECT_FALSE(trace.summary.states[0].kernels.empty());
}

TEST_F(ProgramRecording, AProgramRunsOnWhenItsRecordingIsTooLarge) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 150 * 1024;
  setrlimit(RLIMIT_FSIZE, &small);
  const ProgramTrace trace = record("plain");
  setrlimit(RLIMIT_FSIZE, &before);

  EXPECT_GT(trace.summary.dropped, 0U);
  EXPECT_EQ(trace.summary.dropped + (trace.events.empty() ? 0 : trace.events[0].size()), 5000U);
}

}  // namespace
}  // namespace flopcast::program
