#include <gmock/gmock.h>
#include <sys/wait.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/own_folder.hpp"
#include "tests/program/cli/other_names.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using tests::Result;

const std::string product = "dgemm(N, N, 10, 10, 10, 1";

const std::string by_rows = product;  // the transposed, row-major product of square matrices

TEST_F(OtherNames, FollowsIntegersOf64Bits) {
  EXPECT_THAT(calls_of(WIDE_LU, "info 0 0, 60 legal pivots, largest at 18, solved\n"),
              testing::ElementsAre("dgetrf(60, 60", "dgetrs(N, 60, 1", "idamax(60"));
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

}  // namespace
}  // namespace flopcast::program
