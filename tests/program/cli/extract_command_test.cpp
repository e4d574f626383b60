#include <gmock/gmock.h>

#include "tests/program/cli/own_home.hpp"

namespace flopcast::program {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class ExtractCommand : public tests::OwnHome {};

TEST_F(ExtractCommand, RepeatsTheCallsOfARecordedProgram) {
  ASSERT_EQ(run(FLOPCAST_PROGRAM " record --output trace -- " FLOPCAST_EXAMPLE_CHOLESKY " 100").exit_code, 0);
  const tests::Result extracted = run(FLOPCAST_PROGRAM " extract trace --worst 3 --output calls.c");
  ASSERT_EQ(extracted.exit_code, 0) << extracted.err;
  const tests::Result repeated =
      run(FLOPCAST_C_COMPILER " -std=c99 -Wall -Wextra -Werror calls.c -o calls -l:liblapack.so.3 -l:libblas.so.3 && ./calls 2");
  EXPECT_EQ(repeated.exit_code, 0) << repeated.err;
  EXPECT_THAT(repeated.out, AllOf(HasSubstr("potrf"), ContainsRegex("\n all +[0-9.e-]+ +[0-9.e-]+\n$"), Not(HasSubstr("FAILED"))));
}

TEST_F(ExtractCommand, SaysWhatIsWrongWithAFile) {
  const tests::Result missing = run(FLOPCAST_PROGRAM " extract nothing --output calls.c");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.err, HasSubstr("can't read nothing"));
  const tests::Result damaged = run("echo text >damaged; " FLOPCAST_PROGRAM " extract damaged");
  EXPECT_EQ(damaged.exit_code, 3);
  EXPECT_THAT(damaged.err, HasSubstr("damaged isn't a recording"));
}

}  // namespace
}  // namespace flopcast::program
