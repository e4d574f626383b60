#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Returns what `tune dgeqrf` prints as CSV, after little measuring.
std::string tuned(const std::string& sizes) {
  const Ended ended = shell("flopcast tune dgeqrf " + sizes + " --nb 16,32 --time-budget 1s --csv");
  EXPECT_EQ(ended.code, 0) << ended.err;
  return ended.out;
}

TEST(TuneTables, HaveAColumnForEachSizeInCsvUnlessAllProblemsAreSquare) {
  const std::string rectangular = tuned("m=80,100 n=60");
  EXPECT_THAT(rectangular, StartsWith("m,n,default_nb,"));
  EXPECT_THAT(rectangular, HasSubstr("\r\n80,60,"));
  EXPECT_THAT(rectangular, HasSubstr("\r\n100,60,"));
  EXPECT_THAT(tuned("m=60 n=60"), StartsWith("n,default_nb,"));
}

}  // namespace
}  // namespace flopcast::testing
