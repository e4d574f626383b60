#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
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

 private:
  fs::path folder_ = fs::temp_directory_path() / ("flopcast-tuned-profile-" + std::to_string(::getpid()));
};

TEST_F(TunedProfiles, ProgramsRunWithItsKernelsUnlessTheUserWantsOthers) {
  ASSERT_EQ(tune("dgeqrf", "64").code, 0);
  nlohmann::json changed = profile();
  EXPECT_EQ(changed.at("routines")[0].at("routine"), "dgeqrf");
  changed["settings"] = {{"OPENBLAS_CORETYPE", "Nehalem"}};
  std::ofstream(file()) << changed.dump();
  const std::string run = "flopcast run --quiet --profile " + file();
  const std::string print = " -- sh -c 'echo kernels: $OPENBLAS_CORETYPE'";

  EXPECT_EQ(shell("unset OPENBLAS_CORETYPE; " + run + print).out, "kernels: Nehalem\n");
  EXPECT_EQ(shell("OPENBLAS_CORETYPE=Haswell " + run + print).out, "kernels: Haswell\n");
  EXPECT_EQ(shell("unset OPENBLAS_CORETYPE; " + run + " --kernels library" + print).out, "kernels:\n");
}

TEST_F(TunedProfiles, OnlyWhatChangesIsSaidToBeSaved) {
  const auto tune_nothing = [&] {
    const std::string home = file() + ".home";  // a store that no other test adds samples to
    return shell("mkdir -p " + home + " && cp $FLOPCAST_HOME/machine-*.json " + home + " && FLOPCAST_HOME=" + home +
                 " flopcast tune dpotrf uplo=L --n 64 --nb 16,32 --time-budget 0 --blas openblas-serial --profile " + file());
  };
  const Ended first = tune_nothing(), second = tune_nothing();
  EXPECT_THAT(first.err, HasSubstr("profile saved to " + file() + "; run a program with it: flopcast run --profile " + file() + " -- "));
  EXPECT_THAT(second.err, HasSubstr(file() + " stays as it was; run a program with it"));
}

}  // namespace
}  // namespace flopcast::testing
