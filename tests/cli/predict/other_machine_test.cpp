#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A trace, and what has become of a data directory in which it was predicted: as another machine's.
class OtherMachine : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("flopcast-other-" + std::to_string(::getpid()));
    fs::create_directories(here());
    // Copies, since tests beside this one measure the machine anew.
    const Ended ended = shell("cp machine-*.json " + here() + " && cp " + here() + "/machine-*.json " + folder_.string() +
                              " && flopcast trace dgeqrf n=200 nb=32 --output " + trace() + " && FLOPCAST_HOME=" + folder_.string() +
                              " flopcast predict --trace " + trace() + " --kernels library --time-budget 1s --json --quiet");
    ASSERT_EQ(ended.code, 0) << ended.err;
    there_ = nlohmann::json::parse(ended.out);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string trace() const { return folder_ / "trace.json"; }
  [[nodiscard]] std::string store() const { return folder_ / "flopcast.db"; }
  [[nodiscard]] std::string here() const { return folder_ / "here"; }
  Ended predict(const std::string& options) {
    return shell("FLOPCAST_HOME=" + here() + " flopcast predict --trace " + trace() + " --models " + options);
  }

  fs::path folder_;
  nlohmann::json there_;  ///< the prediction on that machine
};

TEST_F(OtherMachine, IsPredictedByItsModelsAsItPredictsItself) {
  const Ended ended = predict(store() + " --json --quiet");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const nlohmann::json here = nlohmann::json::parse(ended.out);
  EXPECT_EQ(here.at("environment"), there_.at("environment"));
  EXPECT_DOUBLE_EQ(here.at("predictions")[0].at("seconds").get<double>(), there_.at("predictions")[0].at("seconds").get<double>());
}

TEST_F(OtherMachine, MustHaveBeenSampledWithTheseThreadsAndLibraries) {
  const Ended threads = predict(store() + " --threads 7");
  EXPECT_EQ(threads.code, 3);
  EXPECT_THAT(threads.err, HasSubstr("no samples with these libraries and threads; it has:"));
  EXPECT_THAT(threads.err, HasSubstr(there_.at("environment").at("fingerprint").get<std::string>().substr(0, 12)));
  EXPECT_EQ(predict(store() + " --blas nosuch").code, 3);
  EXPECT_EQ(predict(store() + " --environment 0000x").code, 3);
}

TEST_F(OtherMachine, IsNotMadeUp) {
  const Ended missing = predict("/nonexistent.db");
  EXPECT_EQ(missing.code, 3);
  EXPECT_THAT(missing.err, HasSubstr("there is no store '/nonexistent.db'"));
  EXPECT_FALSE(fs::exists("/nonexistent.db"));
  const Ended damaged = predict(trace());
  EXPECT_EQ(damaged.code, 3);
  EXPECT_TRUE(fs::exists(trace())) << "moved aside, though it is somebody else's";
}

}  // namespace
}  // namespace flopcast::testing
