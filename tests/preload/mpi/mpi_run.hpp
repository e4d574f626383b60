#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/mpi_programs.hpp"

namespace flopcast::preload {

/// Runs the MPI programs of these tests under the mpirun of one MPI, which is the parameter of a test.
class MpiRun : public tests::MpiPrograms, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    MpiPrograms::SetUp();
    if (tests::launcher(GetParam()).empty()) {
      GTEST_SKIP() << GetParam() << " is not installed";
    }
  }

  static std::string program(const std::string& name) { return std::string(FLOPCAST_MPI_PROGRAMS) + '/' + name + '_' + GetParam(); }

  /// Runs a command under mpirun.
  Result run(int ranks, const std::string& command, int seconds = 60) {
    return MpiPrograms::run(tests::launcher(GetParam()) + std::to_string(ranks) + ' ' + command, seconds);
  }
  /// Traces a program with the kernels that the BLAS chooses by itself, as without flopcast.
  Result traced(int ranks, const std::string& options, const std::string& command) {
    return run(ranks, FLOPCAST_PROGRAM " mpi run --kernels library " + options + " -- " + command);
  }
  Result show(const std::string& file) { return MpiPrograms::run(FLOPCAST_PROGRAM " mpi show " + file); }
  nlohmann::json profile() const { return nlohmann::json::parse(tests::contents(folder_ / "profile.json")); }
};

/// Returns the lines of a text in order.
inline std::string sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line + '\n');
  }
  std::sort(lines.begin(), lines.end());
  return std::accumulate(lines.begin(), lines.end(), std::string());
}

inline const nlohmann::json* kernel(const nlohmann::json& profile, const std::string& start) {
  for (const nlohmann::json& each : profile.at("kernels")) {
    if (each.at("kernel").get<std::string>().rfind(start, 0) == 0) {
      return &each;
    }
  }
  return nullptr;
}

/// Other features of MPI programs, each a mode of one program.
class MpiModes : public MpiRun {
 protected:
  static std::string mode(const std::string& words) { return program("modes_program") + ' ' + words; }
  [[nodiscard]] bool has_mpi_4() const { return GetParam() == "mpich"; }

  /// Checks that the program prints the same as without flopcast. Returns the profile.
  nlohmann::json same_as_plain(int ranks, const std::string& words, const std::string& options = "") {
    const Result plain = run(ranks, mode(words));
    EXPECT_EQ(plain.exit_code, 0) << words << plain.err;
    const Result with = traced(ranks, "--output profile.json " + options, mode(words));
    EXPECT_EQ(with.exit_code, 0) << words << with.err;
    EXPECT_EQ(sorted_lines(with.out), sorted_lines(plain.out)) << words;
    return with.exit_code == 0 ? profile() : nlohmann::json();
  }

  /// Returns the profile of two processes with the clock for tests, which may be `shared` by both (test_clock.cpp).
  nlohmann::json with_test_clock(const std::string& words, bool shared = false) {
    std::ofstream(folder_ / "clock") << std::string(sizeof(std::int64_t), '\0');
    const std::string clock = shared ? " FLOPCAST_TEST_CLOCK=" + (folder_ / "clock").string() : "";
    const Result with = run(2, "env FLOPCAST_LIBEXEC=" FLOPCAST_TEST_CLOCKS + clock +
                                   " " FLOPCAST_PROGRAM " mpi run --kernels library --clock wall --output profile.json -- " + mode(words));
    EXPECT_EQ(with.exit_code, 0) << words << with.err;
    return with.exit_code == 0 ? profile() : nlohmann::json();
  }

  /// Returns the number of products of this order on the path.
  static std::int64_t products_on_path(const nlohmann::json& profile, int order) {
    const nlohmann::json* product = kernel(profile, fmt::format("dgemm(NN, {0}, {0}, {0})", order));
    return product == nullptr ? 0 : product->at("along").at("count").get<std::int64_t>();
  }
};

class MpiTune : public MpiRun {
 protected:
  /// Writes a space in this test's folder whose program runs in two processes.
  void write_space(const std::string& name, const nlohmann::json& command, const nlohmann::json& parameters, int processes = 2) const {
    nlohmann::json words = {"env"};
    std::istringstream parts(tests::launcher(GetParam()) + std::to_string(processes));
    for (std::string word; parts >> word;) {
      words.push_back(word);
    }
    std::ofstream(folder_ / "space.json") << nlohmann::json{
        {"schema", "flopcast-mpi-space-1"}, {"name", name}, {"launcher", words}, {"command", command}, {"parameters", parameters}};
  }
  Result tune(const std::string& arguments, const std::string& variables = "") const {
    return MpiPrograms::run("FLOPCAST_HOME=. " + variables + FLOPCAST_PROGRAM " mpi tune --kernels library " + arguments, 100);
  }
  /// Returns the configurations of a tuning's document by value, because a loop over part of a temporary would outlive it.
  static nlohmann::json configurations(const Result& tuning) { return nlohmann::json::parse(tuning.out).at("configurations"); }
  std::string subject() const { return std::string(FLOPCAST_EXAMPLES) + "/tile_cholesky_" + GetParam(); }
};

}  // namespace flopcast::preload
