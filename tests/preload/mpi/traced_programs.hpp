#pragma once

#include <gtest/gtest.h>

#include <string>

#include <nlohmann/json.hpp>

#include "tests/mpi_programs.hpp"

namespace flopcast::preload {

/// Runs this folder's programs of one MPI, which is the test's parameter, plain and with `flopcast mpi run`.
class FollowedPrograms : public tests::MpiPrograms, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    MpiPrograms::SetUp();
    if (tests::launcher(GetParam()).empty()) {
      GTEST_SKIP() << GetParam() << " is not installed";
    }
  }
  static std::string built(const std::string& name) { return std::string(FLOPCAST_MPI_PROGRAMS) + '/' + name + '_' + GetParam(); }
  /// Runs a command under mpirun, in a shell's words.
  Result run(int ranks, const std::string& command) {
    return MpiPrograms::run(tests::launcher(GetParam()) + std::to_string(ranks) + ' ' + command);
  }
  Result traced(int ranks, const std::string& options, const std::string& command) {
    return run(ranks, FLOPCAST_PROGRAM " mpi run --kernels library --output profile.json " + options + " -- " + command);
  }
  nlohmann::json profile() const { return nlohmann::json::parse(tests::contents(folder_ / "profile.json")); }
  /// Returns how often kernels whose names begin so were executed, in all processes.
  static int executed(const nlohmann::json& profile, const std::string& start) {
    int count = 0;
    for (const nlohmann::json& kernel : profile.at("kernels")) {
      if (kernel.at("kernel").get<std::string>().rfind(start, 0) == 0) {
        count += kernel.at("executed").at("count").get<int>();
      }
    }
    return count;
  }
};

}  // namespace flopcast::preload
