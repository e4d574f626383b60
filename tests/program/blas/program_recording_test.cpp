#include "flopcast/program/program_recording.hpp"

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/support/error.hpp"
#include "tests/program/blas/program_recordings.hpp"
#include "tests/program/program_in_memory.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST_F(ProgramRecording, FollowsChildren) {
  EXPECT_THAT(counts(record("fork")), ElementsAre(Pair("daxpy", 5007)));
  const ProgramTrace trace = record("exec");
  EXPECT_THAT(counts(trace), ElementsAre(Pair("daxpy", 10000)));
  ASSERT_EQ(trace.summary.processes.size(), 2U);
  EXPECT_THAT(trace.summary.processes[1].command, ElementsAre(FLOPCAST_RECORDED_PROGRAM, "plain"));
}

TEST_F(ProgramRecording, AnonymousRecordingsKeepFileNamesAndTheLibraryIsFoundAgain) {
  const ProgramTrace named = record("exec");
  const fs::path file = folder_ / "anonymous";
  ASSERT_EQ(record_program({{FLOPCAST_RECORDED_PROGRAM, "exec"}, {}, 1}, {file, false, {}, true}), 0);
  const ProgramTrace trace = read_program_trace(file);
  const std::string program = fs::path(FLOPCAST_RECORDED_PROGRAM).filename();
  EXPECT_THAT(trace.summary.command, ElementsAre(program));
  ASSERT_EQ(trace.summary.processes.size(), 2U);
  EXPECT_THAT(trace.summary.processes[1].command, ElementsAre(program));
  EXPECT_EQ(counts(trace), counts(named));
  EXPECT_EQ(trace.summary.libraries, named.summary.libraries) << "the folders of this machine are looked up";
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_EQ(bytes.find(fs::path(FLOPCAST_RECORDED_PROGRAM).parent_path()), std::string::npos);
}

TEST_F(ProgramRecording, RecordingKeepsTheProgramsResults) {
  const auto output = [&](const std::string& prefix) {
    const std::string file = (folder_ / "out").string();
    EXPECT_EQ(std::system((prefix + " " FLOPCAST_RECORDED_PROGRAM " interfaces >" + file).c_str()), 0);
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
  };
  EXPECT_EQ(output("LD_PRELOAD=" FLOPCAST_TRACE_LIBRARY), output(""));
}

TEST_F(ProgramRecording, LeavesNoFileBehindIfTheProgramCantStart) {
  const fs::path file = folder_ / "trace";
  std::ofstream(file) << "older";
  EXPECT_THROW(record_program({{"/no/such/program"}, {}, {}}, {file, false, {}}), Error);
  EXPECT_THROW(record_program({{"true"}, {}, {}}, {folder_ / "no/folder", false, {}}), Error);
  EXPECT_THROW(record_program({{"true"}, {}, {}}, {folder_, false, {}}), Error);
  std::vector<std::string> left;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    left.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(left, ElementsAre("trace"));
  EXPECT_EQ(fs::file_size(file), 5U);
}

TEST_F(ProgramRecording, AProgramWithoutBlasMakesAnEmptyTrace) {
  const fs::path file = folder_ / "trace";
  record_program({{"true"}, {}, {}}, {file, false, {}});
  const ProgramTrace trace = read_program_trace(file);
  EXPECT_THAT(trace.events, IsEmpty());
  EXPECT_EQ(trace.summary.loaded, 1U);
}

}  // namespace
}  // namespace flopcast::program
