#include <gmock/gmock.h>

#include <string>

#include "tests/program/cli/own_home.hpp"

namespace flopcast::program {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class ScaleCommand : public tests::OwnHome {};

TEST_F(ScaleCommand, PredictsALargerRunOfARecordedProgram) {
  for (const std::string n : {"1200", "1600", "2000"}) {  // the peak of smaller programs hides behind that of flopcast itself
    ASSERT_EQ(run(FLOPCAST_PROGRAM " record --output " + n + ".trace -- " FLOPCAST_EXAMPLE_CHOLESKY " " + n).exit_code, 0);
  }
  const tests::Result scaled = run(FLOPCAST_PROGRAM " scale 1200.trace=1200 1600.trace=1600 2000.trace=2000 --to 2400 --time-budget 1");
  ASSERT_EQ(scaled.exit_code, 0) << scaled.err;
  EXPECT_THAT(scaled.out, AllOf(ContainsRegex("dpotrf .* n=n "), HasSubstr("n = 2400: "), HasSubstr("outside of BLAS and LAPACK: "),
                                HasSubstr("resident memory: ")));
  const std::string predict = FLOPCAST_PROGRAM " predict --trace 2000.trace --time-budget 0.1s";
  EXPECT_THAT(run(predict).out, ContainsRegex("resident memory: .* at its recorded peak"));
  const tests::Result changed = run(predict + " --blas reference --threads 1");
  EXPECT_EQ(changed.exit_code, 0) << changed.err;
  EXPECT_THAT(changed.out, Not(HasSubstr("resident memory"))) << "other libraries have other buffers";
}

TEST_F(ScaleCommand, SaysWhatIsWrong) {
  EXPECT_THAT(run(FLOPCAST_PROGRAM " scale a.trace").err, HasSubstr("--to"));
  EXPECT_THAT(run(FLOPCAST_PROGRAM " scale a.trace --to 800").err, HasSubstr("'a.trace' is no recording with its parameter"));
  const tests::Result missing = run(FLOPCAST_PROGRAM " scale a.trace=5 --to 800");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.err, HasSubstr("can't read a.trace"));
}

}  // namespace
}  // namespace flopcast::program
