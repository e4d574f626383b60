#include "flopcast/program/program_trace.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "flopcast/support/error.hpp"
#include "tests/program/program_in_memory.hpp"
#include "tests/program/recording_file.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class ProgramTraces : public testing::Test {
 protected:
  ~ProgramTraces() override { fs::remove(path_); }

  ProgramTrace read(const Contents& contents) {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(contents.data()), static_cast<std::streamsize>(contents.size()));
    return read_program_trace(path_);
  }
  std::string refusal(const Contents& contents) {
    try {
      read(contents);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      return error.what();
    }
    return "was read";
  }

  fs::path path_ = fs::temp_directory_path() / ("flopcast-program-trace-" + std::to_string(getpid()));
};

/// A recording of two threads, with the first thread's records in two pieces.
File example() {
  File file;
  Contents first;
  put_dpotrf(first, 10, 4, 0x1000);
  put_header(first, dgesvd, 20);
  Contents second;
  put_ddot(second, 30, 8, 0x1000, 0x5000);
  Contents other;
  put_header(other, older_routine, 15);
  put(other, std::int32_t{1});
  put(other, std::uint64_t{2});
  put_header(other, dgesvd, 16);
  file.add_text(protocol::ChunkKind::library, "/lib/libblas.so.3");
  file.add_text(protocol::ChunkKind::process, std::string_view("a.out\0x\0", 8));
  file.add_text(protocol::ChunkKind::probes, "7\ta.py:3 in f\t\t\tij,jk\n2\t/lib/libm.so.6\t1f\texp\t\ncall\t20\t9\t500\n");
  file.add(protocol::ChunkKind::live, 0, 0, 1, second);
  const std::uint64_t live = file.size() - protocol::live_bytes;
  file.add(protocol::ChunkKind::live, 1, 0, 0, other);
  file.add(protocol::ChunkKind::sealed, 0, live, 0, first);
  return file;
}

/// Adds a thread whose calls extend from `begin` to `end`.
void add_thread(File& file, std::uint32_t thread, std::uint64_t begin, std::uint64_t end, std::uint32_t pid = 100) {
  Contents calls;
  put_header(calls, dgesvd, begin, 1);
  put_header(calls, dgesvd, end - 1, 1);
  file.add(protocol::ChunkKind::live, thread, 0, 0, calls, pid);
}

TEST_F(ProgramTraces, DetectsOverlappingThreads) {
  const auto overlap = [this](File& file) {
    read(file.bytes());
    return threads_overlap(ProgramTraceFile(path_));
  };
  File alone;
  add_thread(alone, 0, 10, 90);
  EXPECT_FALSE(overlap(alone));
  File in_turn;
  add_thread(in_turn, 0, 10, 50);
  add_thread(in_turn, 1, 51, 90);
  EXPECT_FALSE(overlap(in_turn));
  File between;  // one thread calls while the other does something else
  add_thread(between, 0, 10, 90);
  add_thread(between, 1, 40, 50);
  EXPECT_TRUE(overlap(between));
  File processes;
  add_thread(processes, 0, 10, 90);
  add_thread(processes, 1, 40, 50, 200);
  EXPECT_FALSE(overlap(processes));
}

TEST_F(ProgramTraces, ReadsSummaryAndEvents) {
  const ProgramTrace trace = read(example().bytes());

  EXPECT_THAT(trace.summary.command, ElementsAre("a.out", "x"));
  EXPECT_THAT(trace.summary.libraries, ElementsAre("/lib/libblas.so.3"));
  EXPECT_THAT(trace.summary.processes, ElementsAre(RecordedProcess{100, {"a.out", "x"}}));
  EXPECT_EQ(trace.summary.exit_code, 3);
  EXPECT_EQ(trace.summary.dropped, 2U);
  EXPECT_EQ(trace.summary.damaged, 0U);
  EXPECT_DOUBLE_EQ(trace.summary.seconds, 1e-6);
  ASSERT_EQ(trace.events.size(), 2U);
  ASSERT_EQ(trace.events[0].size(), 3U);
  EXPECT_EQ(to_string(trace.events[0][0].call), "dpotrf(L, 4, 0x1000, 4, 0x0)");
  EXPECT_DOUBLE_EQ(trace.events[0][0].start, 10e-9);
  EXPECT_DOUBLE_EQ(trace.events[0][0].seconds, 5e-9);
  EXPECT_FALSE(trace.events[0][1].described());
  EXPECT_EQ(trace.summary.names[trace.events[0][1].name], "dgesvd");
  EXPECT_EQ(to_string(trace.events[0][2].call), "ddot(8, 0x1000, 1, 0x5000, 1)");
}

TEST_F(ProgramTraces, RoutinesOfAnotherCatalogueAreKnownByName) {
  const ProgramTrace trace = read(example().bytes());

  ASSERT_EQ(trace.events[1].size(), 2U);
  EXPECT_EQ(trace.summary.names[trace.events[1][0].name], "older_routine");
  EXPECT_FALSE(trace.events[1][0].described());
  EXPECT_EQ(trace.summary.names[trace.events[1][1].name], "dgesvd");
}

TEST_F(ProgramTraces, RoutinesOfSeveralLibrariesHaveANameForEach) {
  const auto of = [](unsigned library) { return static_cast<std::uint8_t>(library << protocol::library_shift); };
  File file;
  Contents first, other;
  put_dpotrf(first, 10, 4, 0x1000, 5, of(1));
  put_dpotrf(first, 20, 4, 0x1000, 5, of(2));
  put_header(first, dgesvd, 30, 5, of(2));
  put_dpotrf(other, 40, 4, 0x1000, 5, of(1));  // the number has another meaning in this process
  put_dpotrf(other, 50, 4, 0x1000, 5);
  file.add_library("/opt/one/libblas.so", 1, 100);
  file.add_library("/opt/two/libblas.so", 2, 100);
  file.add_library("/opt/two/libblas.so", 1, 200);
  file.add(protocol::ChunkKind::sealed, 0, 0, 0, first);
  file.add(protocol::ChunkKind::sealed, 1, 0, 0, other, 200);
  const ProgramTrace trace = read(file.bytes());
  std::vector<std::string> names, libraries;
  for (const std::vector<ProgramEvent>& thread : trace.events) {
    for (const ProgramEvent& event : thread) {
      names.push_back(trace.summary.names.at(event.name));
      libraries.push_back(trace.summary.name_libraries.at(event.name));
    }
  }
  EXPECT_THAT(names, ElementsAre("dpotrf (/opt/one/libblas.so)", "dpotrf (/opt/two/libblas.so)", "dgesvd", "dpotrf (/opt/two/libblas.so)",
                                 "dpotrf"));
  EXPECT_THAT(libraries, ElementsAre("/opt/one/libblas.so", "/opt/two/libblas.so", "", "/opt/two/libblas.so", ""));
  EXPECT_EQ(trace.events[0][0].call.routine, trace.events[0][1].call.routine);
}

TEST_F(ProgramTraces, ALiveChunkThatWasBeingSealedCountsOnce) {
  File file;
  Contents records;
  put_header(records, dgesvd, 1);
  file.add(protocol::ChunkKind::live, 0, 0, 0, records);
  file.add(protocol::ChunkKind::sealed, 0, file.size() - protocol::live_bytes, 0, records);

  EXPECT_EQ(read(file.bytes()).events[0].size(), 1U);
}

TEST_F(ProgramTraces, LeavesOutAnIncompleteRecord) {
  File file;
  Contents records;
  put_header(records, dgesvd, 1);
  put_header(records, dpotrf, 2);
  put(records, 'L');
  file.add(protocol::ChunkKind::live, 0, 0, 0, records);

  EXPECT_EQ(read(file.bytes()).events[0].size(), 1U);
}

TEST_F(ProgramTraces, RefusesOtherFiles) {
  EXPECT_THAT(refusal({}), HasSubstr("isn't a recording of a program"));
  EXPECT_THAT(refusal(Contents(10000)), HasSubstr("isn't a recording of a program"));
  EXPECT_THROW(read_program_trace("/no/such/file"), Error);
  EXPECT_THROW(read_program_trace("/tmp"), Error);
}

TEST_F(ProgramTraces, RefusesANewerVersion) {
  File file;
  reinterpret_cast<protocol::FileHeader*>(file.bytes().data())->version = protocol::trace_version + 1;
  EXPECT_THAT(refusal(file.bytes()), HasSubstr("a newer flopcast wrote it"));
}

TEST_F(ProgramTraces, ReadsAnOlderVersion) {
  File file = example();
  reinterpret_cast<protocol::FileHeader*>(file.bytes().data())->version = protocol::oldest_trace_version;
  EXPECT_EQ(read(file.bytes()).events[0].size(), 3U);
  reinterpret_cast<protocol::FileHeader*>(file.bytes().data())->version = protocol::oldest_trace_version - 1;
  EXPECT_THAT(refusal(file.bytes()), HasSubstr("damaged"));
}

TEST_F(ProgramTraces, ReadsNotesOfCalls) {
  File file;
  Contents records;
  put_dpotrf(records, 10, 4, 0x1000, 5, protocol::denormal_operand);
  put_dpotrf(records, 20, 4, 0x1000, 5, protocol::invalid_operation);
  put_dpotrf(records, 30, 4, 0x1000);
  file.add(protocol::ChunkKind::sealed, 0, 0, 0, records);
  const std::vector<ProgramEvent> events = read(file.bytes()).events.at(0);

  ASSERT_EQ(events.size(), 3U);
  EXPECT_TRUE(events[0].met_denormals && !events[0].met_invalid);
  EXPECT_TRUE(events[1].met_invalid && !events[1].met_denormals);
  EXPECT_FALSE(events[2].met_invalid || events[2].met_denormals);
  EXPECT_DOUBLE_EQ(events[0].start, 10e-9);
}

TEST_F(ProgramTraces, WorkspaceQueriesAreNoCalls) {
  File file;
  Contents records;
  put_dpotrf(records, 10, 4, 0x1000);
  put_dpotrf(records, 20, 4, 0x1000, 5, protocol::size_query);
  put_dpotrf(records, 30, 4, 0x1000);
  put_ddot(records, 40, 8, 0x1000, 0x5000);
  file.add(protocol::ChunkKind::sealed, 0, 0, 0, records);
  const std::vector<ProgramEvent> events = read(file.bytes()).events.at(0);

  ASSERT_EQ(events.size(), 3U);
  EXPECT_FALSE(events[0].size_was_queried);
  EXPECT_TRUE(events[1].size_was_queried);
  EXPECT_FALSE(events[2].size_was_queried);
}

TEST_F(ProgramTraces, ReadsLibrarySettings) {
  File file;
  file.add_text(protocol::ChunkKind::state, "/lib/libopenblas.so.0\nthreads 3\nkernels Haswell\n");
  file.add_text(protocol::ChunkKind::state, "/lib/libopenblas.so.0\nthreads 5\n");
  file.add_text(protocol::ChunkKind::state, "/lib/libblas.so.3\n");

  EXPECT_THAT(read(file.bytes()).summary.states,
              ElementsAre(LibraryState{"/lib/libopenblas.so.0", 3, "Haswell"}, LibraryState{"/lib/libblas.so.3", std::nullopt, ""}));
}

TEST_F(ProgramTraces, ReadsACutFileAsFarAsItGoes) {
  const Contents whole = example().bytes();
  for (std::size_t length = 0; length < whole.size(); length += 509) {
    const Contents cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    if (length < 2 * protocol::trace_page - 4000) {
      EXPECT_THAT(refusal(cut), testing::AnyOf(HasSubstr("cut off"), HasSubstr("isn't a recording"))) << length;
    } else {
      EXPECT_NO_THROW(read(cut)) << length;
    }
  }
}

TEST_F(ProgramTraces, ReportsMissingBytes) {
  File file = example();
  auto& header = *reinterpret_cast<protocol::FileHeader*>(file.bytes().data());
  header.dropped = 0;
  header.end = protocol::round_to_page(file.size());
  EXPECT_EQ(read(file.bytes()).summary.missing_bytes, 0U);
  header.end += 3 * protocol::trace_page;
  EXPECT_EQ(read(file.bytes()).summary.missing_bytes, 3 * protocol::trace_page);
  header.dropped = 1;
  EXPECT_EQ(read(file.bytes()).summary.missing_bytes, 0U) << "the disk was full";
}

TEST_F(ProgramTraces, SurvivesRandomDamage) {
  const Contents whole = example().bytes();
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    Contents damaged = whole;
    for (int k = 0; k < 20; ++k) {
      damaged[random() % damaged.size() / (k % 2 == 0 ? 1 : 8)] = static_cast<std::byte>(random());
    }
    try {
      const ProgramTrace trace = read(damaged);
      for (const std::vector<ProgramEvent>& thread : trace.events) {
        to_trace(thread);
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
    }
  }
}

TEST_F(ProgramTraces, CountsDamagedChunks) {
  File file = example();
  file.bytes().back() = std::byte{0};
  const std::size_t records = file.size() - protocol::trace_page + sizeof(protocol::ChunkHeader);
  file.bytes()[records] = std::byte{99};

  const ProgramTrace trace = read(file.bytes());

  EXPECT_EQ(trace.summary.damaged, 1U);
  EXPECT_EQ(trace.events[0].size(), 1U);
}

TEST_F(ProgramTraces, MakesATraceAtVirtualAddresses) {
  const ProgramTrace recorded = read(example().bytes());

  const Trace trace = to_trace(recorded.events[0], "mine");

  EXPECT_EQ(trace.configuration.algorithm, "mine");
  ASSERT_EQ(trace.calls.size(), 2U);
  EXPECT_THAT(trace.measured, ElementsAre(5e-9, 5e-9));
  EXPECT_THAT(trace.allocations, ElementsAre(Allocation{"memory0", virtual_base(0), 128}, Allocation{"memory1", virtual_base(1), 64}));
  EXPECT_EQ(trace.calls[0].address(2), virtual_base(0));
  EXPECT_EQ(trace.calls[1].address(1), virtual_base(0));
  EXPECT_EQ(trace.calls[1].address(3), virtual_base(1));
}

TEST_F(ProgramTraces, JoinsOverlappingOperands) {
  File file;
  Contents records;
  put_ddot(records, 1, 8, 0x1000, 0x9000);
  put_ddot(records, 2, 8, 0x1020, 0x1060);
  file.add(protocol::ChunkKind::sealed, 0, 0, 0, records);

  const Trace trace = to_trace(read(file.bytes()).events[0]);

  EXPECT_THAT(trace.allocations, ElementsAre(Allocation{"memory0", virtual_base(0), 0xa0}, Allocation{"memory1", virtual_base(1), 64}));
  EXPECT_EQ(trace.calls[1].address(3), virtual_base(0) + 0x60);
}

TEST_F(ProgramTraces, ALiveChunkWithAChecksumIsCheckedAsFarAsItGoes) {
  File file;
  Contents records;
  put_header(records, dgesvd, 1);
  const std::size_t checked = records.size();
  put_header(records, dgesvd, 2);
  file.add(protocol::ChunkKind::live, 0, 0, 0, records);
  const std::size_t at = file.size() - protocol::live_bytes;
  auto& chunk = *reinterpret_cast<protocol::ChunkHeader*>(file.bytes().data() + at);
  chunk.checked = checked;
  chunk.checksum = protocol::chunk_checksum(records.data(), checked);

  EXPECT_EQ(read(file.bytes()).events.at(0).size(), 2U) << "the second call was added after the recording's end";
  file.bytes()[at + sizeof(protocol::ChunkHeader) + 3] ^= std::byte{1};
  const ProgramTrace damaged = read(file.bytes());
  EXPECT_EQ(damaged.summary.damaged, 1U);
  EXPECT_TRUE(damaged.events.empty());
}

TEST_F(ProgramTraces, InvalidCallsAreKnownByNameOnly) {
  File file;
  Contents records;
  put_ddot(records, 1, 8, 0x1000, 0x5000);
  put_ddot(records, 2, -1, 0x1000, 0x5000);
  put_ddot(records, 3, std::int32_t{1} << 30, 0xfffffffffffff000, 0x5000);
  put_ddot(records, 4, 8, 0x1000, 0x5000);
  file.add(protocol::ChunkKind::sealed, 0, 0, 0, records);

  const ProgramTrace trace = read(file.bytes());

  std::vector<bool> described;
  for (const ProgramEvent& event : trace.events.at(0)) {
    described.push_back(event.described());
  }
  EXPECT_THAT(described, ElementsAre(true, false, false, true));
  EXPECT_EQ(to_trace(trace.events[0]).calls.size(), 2U);
}

TEST_F(ProgramTraces, RefusesAProgramThatEndsBeforeItBegins) {
  File file = example();
  reinterpret_cast<protocol::FileHeader*>(file.bytes().data())->origin = 2000;
  EXPECT_THAT(refusal(file.bytes()), HasSubstr("ended before it began"));
}

TEST_F(ProgramTraces, ADocumentThatIsDamagedIsNamed) {
  for (const char* schema : {"\"schema\": 1                          ", "\"schema\": 1e400                      "}) {
    File file = example();
    std::memcpy(file.bytes().data() + protocol::trace_page + 1, schema, std::strlen(schema));
    EXPECT_THAT(refusal(file.bytes()), HasSubstr(path_.string()));
  }
}

}  // namespace
}  // namespace flopcast::program
