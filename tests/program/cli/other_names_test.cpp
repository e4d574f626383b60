#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/own_folder.hpp"

/// Tests of libraries with 64-bit integers or other names of routines, and of calls that bypass the preloaded library's own names.
#include "tests/program/cli/other_names.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using tests::contents;
using tests::Result;

TEST_F(OtherNames, ADryRunLeavesPivotsAndInfoOf64Bits) {
  const Result skipped = flopcast("record --skip-kernels -- " WIDE_LU);
  EXPECT_EQ(skipped.exit_code, 1) << skipped.err;  // the program uses the largest element of data that weren't computed
  EXPECT_THAT(skipped.out, HasSubstr("info 0 0, 60 legal pivots"));
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
