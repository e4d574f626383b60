#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

using ::testing::HasSubstr;

/// Expects that the options are refused as usage, without measuring anything.
void expect_refused(std::vector<std::string> arguments, const std::string& message) {
  arguments.insert(arguments.begin(), "tune");
  const Ended ended = flopcast(arguments);
  EXPECT_EQ(ended.code, 2) << message;
  EXPECT_EQ(ended.out, "") << message;
  EXPECT_THAT(ended.err, HasSubstr(message));
}

TEST(TuneOptions, FamiliesNeedVariants) { expect_refused({"cholesky", "--n", "100"}, "add --variant all"); }

TEST(TuneOptions, TuningFilesHoldBlockSizesOfOneLibrarysOwnRoutine) {
  const std::string message = "--save and --tuning don't go with --variant, nor with several --threads or --blas";
  expect_refused({"dpotrf", "--n", "200", "--variant", "all", "--save"}, message);
  expect_refused({"dpotrf", "--n", "200", "--variant", "all", "--tuning", "p.json"}, message);
  expect_refused({"dpotrf", "--n", "200", "--threads", "1,2", "--save"}, message);
}

TEST(TuneOptions, AllOfLapackHasNoArgumentsOfOneRoutine) {
  const std::string message = "tune lapack: arguments of one routine don't go with all of LAPACK";
  expect_refused({"lapack", "uplo=L"}, message);
  expect_refused({"lapack", "--precisions", "dx"}, "precisions: 'x' is none; expected letters of s, d, c, z");
}

TEST(TuneOptions, VariantsAreThoseOfTheFamily) {
  const Ended ended = flopcast({"tune", "cholesky", "--n", "200", "--variant", "4"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("cholesky has no variant '4', only 1, 2, 3, recursive"));
}

}  // namespace
}  // namespace flopcast::testing
