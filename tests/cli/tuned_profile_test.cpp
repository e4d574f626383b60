#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class TunedProfiles : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string file() const { return folder_ / "profile.json"; }

  [[nodiscard]] Ended tune(const std::string& routine, const std::string& orders) const {
    return flopcast({"tune", routine, "--n", orders, "--nb", "8,16", "--fixed-crossover", "--time-budget", "1s", "--blas",
                     "openblas-serial", "--profile", file()});
  }

  [[nodiscard]] nlohmann::json profile() const { return nlohmann::json::parse(std::ifstream(file())); }

  /// The orders that the profile knows of `routine`.
  [[nodiscard]] std::set<int> orders(const std::string& routine) const {
    const nlohmann::json document = profile();
    std::set<int> known;
    for (const nlohmann::json& one : document.at("routines")) {
      if (one.at("routine") == routine) {
        for (const nlohmann::json& point : one.at("points")) {
          known.insert(point.at("n").get<int>());
        }
      }
    }
    return known;
  }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("flopcast-tuned-profile-" + std::to_string(::getpid()));
};

TEST_F(TunedProfiles, TuningAnotherOrderKeepsWhatWasKnown) {
  ASSERT_EQ(tune("dgeqrf", "64,128").code, 0);
  ASSERT_EQ(tune("dgeqrf", "96").code, 0);

  EXPECT_EQ(orders("dgeqrf"), (std::set{64, 96, 128}));
}

TEST_F(TunedProfiles, AProfileOfAnotherMachineIsKeptAside) {
  ASSERT_EQ(tune("dgeqrf", "64").code, 0);
  nlohmann::json foreign = profile();
  foreign["environment"]["fingerprint"] = "another";
  std::ofstream(file()) << foreign.dump();

  const Ended ended = tune("dgeqrf", "128");

  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("profile.json.previous"));
  EXPECT_EQ(orders("dgeqrf"), std::set{128});
  EXPECT_EQ(nlohmann::json::parse(std::ifstream(file() + ".previous")), foreign);
}

TEST_F(TunedProfiles, NumbersOfThreadsAreKeptApart) {
  const std::string tune = "flopcast tune dgeqrf --nb 8,16 --fixed-crossover --time-budget 1s --blas openblas-pthread --profile " + file();
  ASSERT_EQ(shell(tune + " --n 64 --threads 1").code, 0);
  ASSERT_EQ(shell(tune + " --n 128 --threads 2").code, 0);
  ASSERT_EQ(shell(tune + " --n 96 --threads 1").code, 0);

  EXPECT_EQ(profile().at("environment").at("threads"), 1);
  EXPECT_EQ(orders("dgeqrf"), (std::set{64, 96}));
  ASSERT_EQ(profile().at("others").size(), 1U);
  EXPECT_EQ(profile().at("others")[0].at("environment").at("threads"), 2);
  EXPECT_FALSE(fs::exists(file() + ".previous"));
}

TEST_F(TunedProfiles, ProgramsRunWithItsKernelsUnlessTheUserWantsOthers) {
  ASSERT_EQ(tune("dgeqrf", "64").code, 0);
  nlohmann::json changed = profile();
  changed["settings"] = {{"OPENBLAS_CORETYPE", "Nehalem"}};
  std::ofstream(file()) << changed.dump();
  const std::string run = "flopcast run --quiet --profile " + file();
  const std::string print = " -- sh -c 'echo kernels: $OPENBLAS_CORETYPE'";

  EXPECT_EQ(shell("unset OPENBLAS_CORETYPE; " + run + print).out, "kernels: Nehalem\n");
  EXPECT_EQ(shell("OPENBLAS_CORETYPE=Haswell " + run + print).out, "kernels: Haswell\n");
  EXPECT_EQ(shell("unset OPENBLAS_CORETYPE; " + run + " --kernels library" + print).out, "kernels:\n");
}

}  // namespace
}  // namespace flopcast::testing
