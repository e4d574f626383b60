#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/own_folder.hpp"

namespace flopcast::program {

/// Programs that call routines by other names than those of Fortran, in a folder of their own.
class OtherNames : public testing::Test {
 protected:
  /// Runs flopcast in this test's folder.
  tests::Result flopcast(const std::string& arguments) {
    return tests::run_in(folder_, "FLOPCAST_HOME=. " FLOPCAST_PROGRAM " " + arguments);
  }

  /// Returns the recorded calls of the program `command`, without their addresses.
  std::vector<std::string> calls_of(const std::string& command, const std::string& output) {
    const tests::Result recorded = flopcast("record -- " + command);
    EXPECT_EQ(recorded.exit_code, 0) << recorded.err;
    EXPECT_EQ(recorded.out, output) << recorded.err;
    std::vector<std::string> calls;
    const nlohmann::json recording = nlohmann::json::parse(flopcast("record --quiet --show flopcast.trace --every-call --json").out);
    for (const nlohmann::json& event : recording.at("events")) {
      const auto text = event.at("call").get<std::string>();
      calls.push_back(text.substr(0, text.find(", 0x")));
    }
    return calls;
  }

  tests::OwnFolder own_;
  const std::filesystem::path& folder_ = own_.path();
};

}  // namespace flopcast::program
