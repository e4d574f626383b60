#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/cli/roofline_document.hpp"
#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json rates(double rate) { return {{"samples", {rate, rate, rate, rate}}}; }

json bandwidth(const std::string& level, double rate) {
  return {
      {"level", level},        {"stream", "triad"},         {"nontemporal", false},           {"threads", 2}, {"flops_per_byte", 1.0 / 12},
      {"moved_per_byte", 1.0}, {"working_set_bytes", 1000}, {"bytes_per_second", rates(rate)}};
}

json ceiling(const std::string& name, const std::string& precision, double rate) {
  return {{"name", name},
          {"precision", precision},
          {"lanes", 1},
          {"flops_per_lane", 2},
          {"fused", true},
          {"threads", 2},
          {"clocks", {1e9}},
          {"instructions_per_cycle", 1.0},
          {"flops_per_second", rates(rate)}};
}

/// Returns L1 of 400 GB/s, memory of 10 GB/s and 100 GFLOP/s, twice that in single precision.
json machine() {
  return roofline_document({ceiling("AVX2 double FMA", "double", 1e11), ceiling("AVX2 single FMA", "single", 2e11)},
                           {bandwidth("L1", 4e11), bandwidth("memory", 1e10)});
}

/// Returns the gnuplot program that draws it.
std::string drawn(const json& roofline) {
  const std::filesystem::path base = std::filesystem::temp_directory_path() / ("flopcast_roofline_figure." + std::to_string(::getpid()));
  const std::string input = base.string() + ".json", output = base.string() + ".gp";
  std::ofstream(input) << roofline;
  const Ended ended = flopcast({"roofline", "--replot", input, "--figure", output});
  EXPECT_EQ(ended.code, 0) << ended.err;
  std::stringstream script;
  script << std::ifstream(output).rdbuf();
  std::filesystem::remove(input);
  std::filesystem::remove(output);
  EXPECT_TRUE(std::filesystem::remove(base.string() + ".csv"));
  return script.str();
}

TEST(RooflineFigure, IsDrawnFromADocument) { EXPECT_THAT(drawn(machine()), HasSubstr("'L1 triad 400 GB/s'")); }

}  // namespace
}  // namespace flopcast::testing
