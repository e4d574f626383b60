#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "flopcast/program/program_recording.hpp"
#include "flopcast/program/program_trace.hpp"
#include "tests/own_folder.hpp"
#include "tests/program/program_in_memory.hpp"

namespace flopcast::program {

/// Recordings of the test program, in a folder of its own.
class ProgramRecording : public testing::Test {
 protected:
  /// Records the test program in the mode `what`.
  ProgramTrace record(const std::string& what, int expected_exit_code = 0, bool dry_run = false, const LibraryFiles& libraries = {}) {
    const std::filesystem::path file = folder_ / "trace";
    EXPECT_EQ(record_program({{FLOPCAST_RECORDED_PROGRAM, what}, libraries, 1}, {file, dry_run, {}}), expected_exit_code) << what;
    return read_program_trace(file);
  }

  static std::map<std::string, int> counts(const ProgramTrace& trace) {
    std::map<std::string, int> all;
    for (const std::vector<ProgramEvent>& thread : trace.events) {
      for (const ProgramEvent& event : thread) {
        ++all[trace.summary.names[event.name]];
      }
    }
    return all;
  }

  static std::vector<std::string> texts(const ProgramTrace& trace) {
    std::vector<std::string> all;
    for (const ProgramEvent& event : trace.events.at(0)) {
      const std::string text = event.described() ? to_string(event.call) : trace.summary.names[event.name];
      all.push_back(text.substr(0, text.find(", 0x")));
    }
    return all;
  }

  tests::OwnFolder own_;
  const std::filesystem::path& folder_ = own_.path();
};

}  // namespace flopcast::program
