#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/own_folder.hpp"

/// Tests of libraries with 64-bit integers or other names of routines, and of calls that bypass the preloaded library's own names.
namespace flopcast::program {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using tests::contents;
using tests::Result;

class OtherNames : public testing::Test {
 protected:
  /// Runs flopcast in this test's folder.
  Result flopcast(const std::string& arguments) { return tests::run_in(folder_, "FLOPCAST_HOME=. " FLOPCAST_PROGRAM " " + arguments); }

  /// Returns the recorded calls of the program `command`, without their addresses.
  std::vector<std::string> calls_of(const std::string& command, const std::string& output) {
    const Result recorded = flopcast("record -- " + command);
    EXPECT_EQ(recorded.exit_code, 0) << recorded.err;
    EXPECT_EQ(recorded.out, output) << recorded.err;
    std::vector<std::string> calls;
    const nlohmann::json recording = nlohmann::json::parse(flopcast("record --quiet --show flopcast.trace --calls --json").out);
    for (const nlohmann::json& event : recording.at("events")) {
      const auto text = event.at("call").get<std::string>();
      calls.push_back(text.substr(0, text.find(", 0x")));
    }
    return calls;
  }

  tests::OwnFolder own_;
  const fs::path& folder_ = own_.path();
};

const std::string product = "dgemm(N, N, 10, 10, 10, 1";
const std::string by_rows = product;  // the transposed, row-major product of square matrices

TEST_F(OtherNames, FollowsIntegersOf64Bits) {
  EXPECT_THAT(calls_of(WIDE_LU, "info 0 0, 60 legal pivots, largest at 18, solved\n"),
              testing::ElementsAre("dgetrf(60, 60", "dgetrs(N, 60, 1", "idamax(60"));
}

TEST_F(OtherNames, ADryRunLeavesPivotsAndInfoOf64Bits) {
  const Result skipped = flopcast("record --dry-run -- " WIDE_LU);
  EXPECT_EQ(skipped.exit_code, 1) << skipped.err;  // the program uses the largest element of data that weren't computed
  EXPECT_THAT(skipped.out, HasSubstr("info 0 0, 60 legal pivots"));
}

TEST_F(OtherNames, FollowsOtherPrefixesAndSuffixes) {
  const std::vector<std::string> expected = {product, by_rows};
  EXPECT_EQ(calls_of(JULIA_NAMES, "right\nright\n"), expected);
  EXPECT_EQ(calls_of(SCIPY_NAMES, "right\nright\n"), expected);
  EXPECT_EQ(calls_of(MKL_NAMES, "right\nright\n"), expected);
}

TEST_F(OtherNames, IgnoresFunctionsThatOnlyShareARoutinesName) {
  const Result result = flopcast("record -- " NAMESAKE);
  EXPECT_EQ(result.out, "right\n");
  EXPECT_THAT(result.err, HasSubstr("no BLAS or LAPACK call was seen"));
}

TEST_F(OtherNames, FollowsPluginsWithLibrariesOfTheirOwn) {
  const std::vector<std::string> expected = {product, "dscal(1, 2"};
  EXPECT_EQ(calls_of(PLUGIN_HOST " deep " PLUGIN, "right\n"), expected);
  EXPECT_EQ(calls_of(PLUGIN_HOST " lazy " PLUGIN, "right\n"), expected);
}

TEST_F(OtherNames, FollowsAddressesTakenFromTheWholeProgram) {
  EXPECT_THAT(calls_of(PLUGIN_HOST " global " SCIPY_LIBRARY, "right\n"), testing::ElementsAre(product));
}

TEST_F(OtherNames, FollowsAddressesTakenFromOneLibrary) {
  EXPECT_THAT(calls_of(PLUGIN_HOST " handle libblas.so.3", "right\n"), testing::ElementsAre(product));
}

TEST_F(OtherNames, AnswersBlockSizeQueriesUnderOtherNames) {
  const std::string file = (folder_ / "block").string();
  const std::string ask = std::string(SCIPY_NAMES) + " block >" + file;
  ASSERT_EQ(std::system(ask.c_str()), 0);
  EXPECT_EQ(contents(file), "32\n");
  ASSERT_EQ(std::system(("LD_PRELOAD=" TUNED_LIBRARY " FLOPCAST_BLOCKS=dgeqrf,,1000x1000:17/2/0 " + ask).c_str()), 0);
  EXPECT_EQ(contents(file), "17\n");
}

TEST_F(OtherNames, ReportsWhyNoCallIsSeen) {
  EXPECT_THAT(flopcast("record -- " CONTAINED_BLAS).err, AllOf(HasSubstr(CONTAINED_BLAS), HasSubstr("BLAS is linked into it statically")));
  EXPECT_THAT(flopcast("record -- " PLUGIN_HOST " unused libblas.so.3").err, HasSubstr("libblas.so.3"));
}

TEST_F(OtherNames, GivesProgramsOnlyLibrariesOfTheirIntegerWidth) {
  const Result wide = flopcast("record --blas reference64 -- " WIDE_LAPACK);
  EXPECT_EQ(wide.exit_code, 0) << wide.err;
  EXPECT_THAT(wide.out, HasSubstr("solved"));
  EXPECT_THAT(flopcast("record --quiet --show flopcast.trace --json").out, HasSubstr("/blas64/libblas64.so.3"));
  const Result narrow = flopcast("record --blas openblas64-serial -- " FLOPCAST_EXAMPLE_CHOLESKY " 20");
  EXPECT_EQ(narrow.exit_code, 4);
  EXPECT_THAT(narrow.err, HasSubstr("64-bit integers"));
}

TEST_F(OtherNames, ProfilesAndPredictsRecordingsWithIntegersOf64Bits) {
  ASSERT_EQ(flopcast("record -- " WIDE_LU).exit_code, 0);
  const Result profile = flopcast("profile flopcast.trace");
  EXPECT_EQ(profile.exit_code, 0) << profile.err;
  EXPECT_THAT(profile.out, HasSubstr("dgetrf"));
}

}  // namespace
}  // namespace flopcast::program
