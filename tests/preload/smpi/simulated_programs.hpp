#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/mpi_programs.hpp"

namespace flopcast::preload {

/// Programs built for SMPI, simulated. `--only-kernels` makes simulations exact, because the program's own code takes no time.
class MpiSimulate : public tests::MpiPrograms, public testing::WithParamInterface<std::string> {
 protected:
  static std::string program(const std::string& name) { return std::string(FLOPCAST_MPI_PROGRAMS) + '/' + name + "_smpi"; }

  /// Runs flopcast with measurements of a machine that it shares with the tests of the command line.
  Result flopcast(const std::string& arguments) {
    return run("FLOPCAST_HOME=" FLOPCAST_TEST_HOME " " FLOPCAST_PROGRAM " mpi " + arguments);
  }
  Result simulate(int ranks, const std::string& options, const std::string& command) {
    return flopcast("simulate --ranks " + std::to_string(ranks) + ' ' + options + " -- " + command);
  }
  nlohmann::json simulated(int ranks, const std::string& options, const std::string& command) {
    const Result result = simulate(ranks, "--json " + options, command);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.exit_code == 0 ? nlohmann::json::parse(result.out).at("simulations").at(0) : nlohmann::json();
  }
};

inline const nlohmann::json& kernel(const nlohmann::json& simulation, const std::string& start) {
  for (const nlohmann::json& each : simulation.at("kernels")) {
    if (each.at("kernel").get<std::string>().rfind(start, 0) == 0) {
      return each;
    }
  }
  throw std::runtime_error("no kernel " + start);
}

inline double seconds(const nlohmann::json& document, const char* name = "seconds") { return document.at(name).get<double>(); }

}  // namespace flopcast::preload
