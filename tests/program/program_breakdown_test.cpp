#include "flopcast/program/program_breakdown.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>

#include "flopcast/program/program_timeline.hpp"
#include "tests/program/recording_file.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

class ProgramBreakdowns : public testing::Test {
 protected:
  ~ProgramBreakdowns() override { fs::remove(path_); }

  ProgramTraceFile open(File file) {
    const Contents& bytes = file.bytes();
    std::ofstream(path_, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return ProgramTraceFile(path_);
  }

  fs::path path_ = fs::temp_directory_path() / ("flopcast-breakdown-" + std::to_string(getpid()));
};

/// Thread 1 has dpotrf n = 4 twice (30 and 10 ns), n = 5 once (20 ns), and dgesvd (25 ns) by name. Thread 2, of another process, has ddot n
/// = 8 (5 ns).
File example() {
  File file;
  Contents first, other;
  put_dpotrf(first, 0, 4, 0x1000, 30);
  put_dpotrf(first, 40, 5, 0x1000, 20);
  put_header(first, dgesvd, 70, 25);
  put_dpotrf(first, 100, 4, 0x1000, 10);
  put_ddot(other, 50, 8, 0x1000, 0x5000);
  file.add(protocol::ChunkKind::sealed, 0, 0, 0, first);
  file.add(protocol::ChunkKind::sealed, 1, 0, 0, other, 200);
  return file;
}

std::vector<std::string> described(const ProgramBreakdown& breakdown, const ProgramSummary& summary) {
  std::vector<std::string> all;
  for (const ShapeSum& shape : breakdown.shapes()) {
    all.push_back(summary.names[shape.name] + "|" + shape.flags + "|" + to_string(shape.sizes) + "|" + std::to_string(shape.sum.calls));
  }
  return all;
}

/// Names that can't be read make records unreadable, and a thread without readable records has no heaviest routine.
TEST_F(ProgramBreakdowns, LeavesOutThreadsThatCantBeRead) {
  File file = example();
  const std::string_view names = dictionary;
  const auto at = std::search(file.bytes().begin(), file.bytes().end(), names.begin(), names.end(),
                              [](std::byte byte, char letter) { return static_cast<char>(byte) == letter; });
  ASSERT_NE(at, file.bytes().end());
  *at = std::byte{'x'};
  const ProgramTraceFile damaged = open(file);
  ASSERT_EQ(damaged.summary().damaged, 1);
  const ProgramBreakdown breakdown(damaged);

  EXPECT_EQ(damaged.summary().threads.size(), 2U);
  EXPECT_THAT(breakdown.threads(), IsEmpty());
  EXPECT_THAT(breakdown.processes(), IsEmpty());
  EXPECT_THAT(breakdown.routines(), IsEmpty());
}

TEST_F(ProgramBreakdowns, AddsUpByRoutine) {
  const ProgramTraceFile file = open(example());
  const ProgramBreakdown breakdown(file);

  ASSERT_EQ(breakdown.routines().size(), 3U);
  const RoutineSum& dpotrfs = breakdown.routines()[0];
  EXPECT_EQ(file.summary().names[dpotrfs.name], "dpotrf");
  EXPECT_EQ(dpotrfs.sum.calls, 3);
  EXPECT_THAT(dpotrfs.sum.seconds, DoubleNear(60e-9, 1e-15));
  EXPECT_FALSE(breakdown.routines()[1].described);
  EXPECT_EQ(breakdown.routines()[1].sum.flops, 0);
  EXPECT_EQ(breakdown.all().calls, 5);
  EXPECT_THAT(breakdown.all().seconds, DoubleNear(90e-9, 1e-15));
  EXPECT_THAT(breakdown.all().described_seconds, DoubleNear(65e-9, 1e-15));  // without dgesvd, whose flops are unknown
}

TEST_F(ProgramBreakdowns, AddsUpByShapeTheHeaviestFirst) {
  const ProgramTraceFile file = open(example());
  const ProgramBreakdown breakdown(file);

  EXPECT_THAT(described(breakdown, file.summary()), ElementsAre("dpotrf|L|n=4|2", "dgesvd|||1", "dpotrf|L|n=5|1", "ddot||n=8|1"));
  EXPECT_EQ(breakdown.shapes()[0].longest.routine->name, "dpotrf");
  EXPECT_DOUBLE_EQ(breakdown.shapes()[0].longest_seconds, 30e-9);
}

/// The library starts in a program's first call, which takes 72 ms instead of 2.
TEST_F(ProgramBreakdowns, TellsFirstCallsApart) {
  constexpr std::uint64_t millisecond = 1'000'000;
  File file;
  Contents records;
  put_dpotrf(records, 0, 200, 0x1000, 72 * millisecond);
  for (std::uint64_t i = 0; i < 4; ++i) {
    put_dpotrf(records, (80 + 3 * i) * millisecond, 200, 0x1000, 2 * millisecond);
  }
  file.add(protocol::ChunkKind::sealed, 0, 0, 0, records);
  const ProgramTraceFile opened = open(file);
  const ProgramBreakdown breakdown(opened);

  EXPECT_EQ(breakdown.first_calls().calls, 1);
  EXPECT_THAT(breakdown.first_calls().seconds, DoubleNear(0.072, 1e-12));
  ASSERT_EQ(breakdown.routines().size(), 1U);
  EXPECT_EQ(breakdown.routines()[0].sum.calls, 4);
  EXPECT_THAT(breakdown.routines()[0].sum.described_seconds, DoubleNear(0.008, 1e-12));
  EXPECT_THAT(breakdown.all().seconds, DoubleNear(0.080, 1e-12));
  EXPECT_EQ(breakdown.all().flops, breakdown.routines()[0].sum.flops);  // so that no rate contains the first call
  EXPECT_THAT(breakdown.all().described_seconds, DoubleNear(0.008, 1e-12));
  ASSERT_EQ(breakdown.shapes().size(), 2U);
  EXPECT_TRUE(breakdown.shapes()[0].first_calls);
  EXPECT_FALSE(breakdown.shapes()[1].first_calls);
  std::vector<std::size_t> shapes;
  opened.visit(0, [&](const ProgramEvent& event) { shapes.push_back(breakdown.shape_of(event)); });
  EXPECT_THAT(shapes, ElementsAre(0, 1, 1, 1, 1));
}

/// A first call without others of its size is compared with a larger problem that took less time.
TEST_F(ProgramBreakdowns, ComparesAFirstCallWithLargerProblems) {
  constexpr std::uint64_t millisecond = 1'000'000;
  File file;
  Contents records;
  put_dpotrf(records, 0, 100, 0x1000, 50 * millisecond);
  put_dpotrf(records, 60 * millisecond, 200, 0x1000, 2 * millisecond);
  put_dpotrf(records, 70 * millisecond, 50, 0x1000, 1 * millisecond);
  file.add(protocol::ChunkKind::sealed, 0, 0, 0, records);
  const ProgramBreakdown breakdown(open(file));

  EXPECT_EQ(breakdown.first_calls().calls, 1);
  EXPECT_THAT(breakdown.first_calls().seconds, DoubleNear(0.050, 1e-12));
}

TEST_F(ProgramBreakdowns, OrdinaryFirstCallsStayWithTheOthers) {
  constexpr std::uint64_t millisecond = 1'000'000;
  File file;
  Contents records;
  put_dpotrf(records, 0, 100, 0x1000, 50 * millisecond);  // a single call, with no other to compare
  put_dpotrf(records, 60 * millisecond, 50, 0x1000, 3 * millisecond);
  put_dpotrf(records, 70 * millisecond, 50, 0x1000, 2 * millisecond + millisecond / 2);
  file.add(protocol::ChunkKind::sealed, 0, 0, 0, records);

  EXPECT_EQ(ProgramBreakdown(open(file)).first_calls(), CallSum());
}

TEST_F(ProgramBreakdowns, AddsUpCallsThatOddNumbersMayHaveSlowed) {
  File file;
  Contents records;
  put_dpotrf(records, 0, 4, 0x1000, 30, protocol::denormal_operand);
  put_dpotrf(records, 40, 4, 0x1000, 20, protocol::invalid_operation);
  put_dpotrf(records, 80, 4, 0x1000, 10);
  file.add(protocol::ChunkKind::sealed, 0, 0, 0, records);
  const ProgramBreakdown breakdown(open(file));

  EXPECT_THAT(breakdown.all().denormal_seconds, DoubleNear(30e-9, 1e-15));
  EXPECT_THAT(breakdown.shapes()[0].sum.invalid_seconds, DoubleNear(20e-9, 1e-15));
}

TEST_F(ProgramBreakdowns, AddsUpByThreadAndProcess) {
  const ProgramTraceFile file = open(example());
  const ProgramBreakdown breakdown(file);

  ASSERT_EQ(breakdown.threads().size(), 2U);
  EXPECT_EQ(file.summary().names[breakdown.threads()[0].heaviest], "dpotrf");
  EXPECT_EQ(file.summary().names[breakdown.threads()[1].heaviest], "ddot");
  ASSERT_EQ(breakdown.processes().size(), 2U);
  EXPECT_EQ(breakdown.processes()[1].pid, 200U);
  EXPECT_EQ(breakdown.processes()[1].sum.calls, 1);
}

TEST_F(ProgramBreakdowns, JoinsManySizesByPowersOfTwo) {
  File file;
  Contents records;
  for (std::int32_t n = 1; n <= 7; ++n) {
    put_dpotrf(records, static_cast<std::uint64_t>(n), n, 0x1000);
  }
  put_ddot(records, 20, 8, 0x1000, 0x5000);
  file.add(protocol::ChunkKind::sealed, 0, 0, 0, records);
  const ProgramTraceFile opened = open(file);

  const ProgramBreakdown exact(opened, {.max_exact_sizes = 7});
  const ProgramBreakdown joined(opened, {.max_exact_sizes = 6});

  EXPECT_EQ(exact.shapes().size(), 8U);
  EXPECT_THAT(described(joined, opened.summary()), ElementsAre("dpotrf|L|n=4..7|4", "dpotrf|L|n=2..3|2", "ddot||n=8|1", "dpotrf|L|n=1|1"));
}

TEST_F(ProgramBreakdowns, EveryCallHasItsShapeAndNothingIsLost) {
  File file;
  std::mt19937 random(3);
  for (std::uint32_t thread = 0; thread < 3; ++thread) {
    Contents records;
    for (std::uint64_t i = 0; i < 200; ++i) {
      if (random() % 5 == 0) {
        put_header(records, dgesvd, i, random() % 1000);
      } else {
        put_dpotrf(records, i, static_cast<std::int32_t>(random() % 60), 0x1000, random() % 1000);
      }
    }
    file.add(protocol::ChunkKind::sealed, thread, 0, 0, records);
  }
  const ProgramTraceFile opened = open(file);
  const ProgramBreakdown breakdown(opened);

  std::vector<Seconds> naive(breakdown.shapes().size(), 0.0);
  for (std::size_t t = 0; t < 3; ++t) {
    opened.visit(t, [&](const ProgramEvent& event) {
      const ShapeSum& shape = breakdown.shapes()[breakdown.shape_of(event)];
      naive[breakdown.shape_of(event)] += event.seconds;
      EXPECT_EQ(shape.name, event.name);
      if (event.described()) {
        EXPECT_GE(sizes(event.call)[0], shape.sizes[0].low);
        EXPECT_LE(sizes(event.call)[0], shape.sizes[0].high);
      }
    });
  }
  Seconds sum = 0;
  for (std::size_t i = 0; i < naive.size(); ++i) {
    EXPECT_THAT(breakdown.shapes()[i].sum.seconds, DoubleNear(naive[i], 1e-14));
    EXPECT_TRUE(i == 0 || breakdown.shapes()[i].sum.seconds <= breakdown.shapes()[i - 1].sum.seconds);
    sum += breakdown.shapes()[i].sum.seconds;
  }
  EXPECT_THAT(breakdown.all().seconds, DoubleNear(sum, 1e-14));
}

TEST_F(ProgramBreakdowns, ARecordingWithoutCallsIsEmpty) {
  const ProgramBreakdown breakdown(open(File()));
  EXPECT_THAT(breakdown.shapes(), IsEmpty());
  EXPECT_EQ(breakdown.all(), CallSum());
}

TEST_F(ProgramBreakdowns, ShowsTheReadablePartOfACutFile) {
  const Contents whole = example().bytes();
  std::int64_t before = 0;
  for (std::size_t length = 2 * protocol::trace_page; length <= whole.size(); length += 64) {
    std::ofstream(path_, std::ios::binary).write(reinterpret_cast<const char*>(whole.data()), static_cast<std::streamsize>(length));
    const ProgramBreakdown breakdown{ProgramTraceFile(path_)};
    EXPECT_GE(breakdown.all().calls, before);
    before = breakdown.all().calls;
  }
  EXPECT_EQ(before, 5);
}

TEST_F(ProgramBreakdowns, TheTimelineSpreadsLongCalls) {
  const ProgramTraceFile file = open(example());
  const ProgramBreakdown breakdown(file);

  const ProgramTimeline timeline = program_timeline(file, breakdown, 11, 1);  // from 0 to 110 ns: 10 ns each

  ASSERT_EQ(timeline.routines.size(), 1U);  // dpotrf; all other routines form one series
  ASSERT_EQ(timeline.busy.size(), 2U);
  const auto nanoseconds = [&](std::size_t thread, std::size_t bin, std::size_t series) { return 10 * timeline.busy[thread][bin][series]; };
  EXPECT_THAT(nanoseconds(0, 2, 0), DoubleNear(10, 1e-6));
  EXPECT_THAT(nanoseconds(0, 3, 0), DoubleNear(0, 1e-6));
  EXPECT_THAT(nanoseconds(0, 9, 1), DoubleNear(5, 1e-6));  // dgesvd ends at 95 ns
  EXPECT_THAT(nanoseconds(1, 5, 1), DoubleNear(5, 1e-6));
  double sum = 0;
  for (std::size_t bin = 0; bin < 11; ++bin) {
    sum += nanoseconds(0, bin, 0) + nanoseconds(0, bin, 1) + nanoseconds(1, bin, 0) + nanoseconds(1, bin, 1);
  }
  EXPECT_THAT(sum, DoubleNear(90, 1e-6));  // put_ddot takes 5
}

}  // namespace
}  // namespace flopcast::program
