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

class TuningFiles : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string file() const { return folder_ / "tuning.json"; }

  [[nodiscard]] Ended tune(const std::string& routine, const std::string& orders) const {
    return flopcast({"tune", routine, "--n", orders, "--nb", "8,16", "--fixed-crossover", "--time-budget", "1s", "--blas",
                     "openblas-serial", "--tuning", file()});
  }

  [[nodiscard]] nlohmann::json tuning() const { return nlohmann::json::parse(std::ifstream(file())); }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("flopcast-tuned-run-" + std::to_string(::getpid()));
};

TEST_F(TuningFiles, ProgramsRunWithItsKernelsUnlessTheUserWantsOthers) {
  ASSERT_EQ(tune("dgeqrf", "64").code, 0);
  nlohmann::json changed = tuning();
  EXPECT_EQ(changed.at("routines")[0].at("routine"), "dgeqrf");
  changed["settings"] = {{"OPENBLAS_CORETYPE", "Nehalem"}};
  std::ofstream(file()) << changed.dump();
  const std::string run = "flopcast run --quiet --tuning " + file();
  const std::string print = " -- sh -c 'echo kernels: $OPENBLAS_CORETYPE'";

  EXPECT_EQ(shell("unset OPENBLAS_CORETYPE; " + run + print).out, "kernels: Nehalem\n");
  EXPECT_EQ(shell("OPENBLAS_CORETYPE=Haswell " + run + print).out, "kernels: Haswell\n");
  EXPECT_EQ(shell("unset OPENBLAS_CORETYPE; " + run + " --kernels library" + print).out, "kernels:\n");
}

#ifdef FLOPCAST_EXAMPLE_QR
TEST_F(TuningFiles, AReportSaysWhatEachSizeGotAndWhatTheTuningLacks) {
  const auto report = [&](const std::string& program) {
    const Ended ended = shell("flopcast run --quiet --json --output " + file() +
                              ".report --blas openblas-serial --lapack reference --tuning " + file() + " -- " + program);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return nlohmann::json::parse(std::ifstream(file() + ".report"));
  };
  const auto size_of = [](const nlohmann::json& document, const std::string& routine) {
    for (const nlohmann::json& size : document.at("sizes")) {
      if (size.at("routine") == routine) {
        return size;
      }
    }
    return nlohmann::json();
  };
  const std::string qr = FLOPCAST_EXAMPLE_QR " ";
  ASSERT_EQ(tune("dgeqrf", "64").code, 0);
  const nlohmann::json tuned = size_of(report(qr + "80"), "dgeqrf");
  EXPECT_EQ(tuned.value("m", 0), 80) << tuned;
  EXPECT_EQ(tuned.value("n", 0), 80);
  EXPECT_EQ(tuned.value("nb", 0), tuning().at("routines")[0].at("points")[0].at("nb"));
  EXPECT_EQ(tuned.value("reason", ""), "tuned");
  EXPECT_GT(tuned.value("queries", 0), 0);
  EXPECT_EQ(size_of(report(qr + "20"), "dgeqrf").value("reason", ""), "default: the size is below the tuning file's");

  ASSERT_EQ(shell("rm " + file()).code, 0);
  ASSERT_EQ(tune("dgetrf", "64").code, 0);
  const nlohmann::json other = report(qr + "80");
  EXPECT_EQ(size_of(other, "dgeqrf").value("reason", ""), "default: the tuning file lacks the routine");
  const nlohmann::json& lacking = other.at("routines").back();
  EXPECT_GT(lacking.at("queries"), 0);
  EXPECT_THAT(other.dump(),
              HasSubstr("'flopcast tune dgeqrf --n 80 --blas openblas-serial --lapack reference --tuning " + file() + "' tunes it"));
}
#endif

TEST_F(TuningFiles, OnlyWhatChangesIsSaidToBeSaved) {
  const auto tune_nothing = [&] {
    const std::string home = file() + ".home";  // a store that no other test adds samples to
    return shell("mkdir -p " + home + " && cp $FLOPCAST_HOME/machine-*.json " + home + " && FLOPCAST_HOME=" + home +
                 " flopcast tune dpotrf uplo=L --n 64 --nb 16,32 --time-budget 0 --blas openblas-serial --tuning " + file());
  };
  const Ended first = tune_nothing(), second = tune_nothing();
  EXPECT_THAT(first.err, HasSubstr("tuning file saved to " + file() + "; run a program with it: flopcast run --tuning " + file() + " -- "));
  EXPECT_THAT(second.err, HasSubstr(file() + " stays as it was; run a program with it"));
}

}  // namespace
}  // namespace flopcast::testing
