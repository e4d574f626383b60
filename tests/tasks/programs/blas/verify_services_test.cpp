#include "flopcast/tasks/programs/verify_services.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/workbench/workbench.hpp"
#include "tests/own_folder.hpp"

namespace flopcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LaunchedVerification : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("FLOPCAST_HOME", own_.path().c_str(), 1); }
  void TearDown() override { ::unsetenv("FLOPCAST_HOME"); }

  /// Verifies calls of the wrong library.
  VerifyOutcome launch(const std::vector<std::string>& texts, std::int64_t first = 0) {
    std::vector<Call> calls;
    for (const std::string& text : texts) {
      calls.push_back(kernel::expand_calls(text).front());
    }
    const VerifySubject subject{FLOPCAST_WRONG_BLAS, "reference", "", 1};
    return this_verify_services(bench_, {}, {subject}).launch(subject, {calls, first, {}, 1}, [] { return false; });
  }

  tests::OwnFolder own_;
  Workbench bench_;
};

TEST_F(LaunchedVerification, AWrongShapeIsFoundAmongRightOnes) {
  const VerifyOutcome outcome = launch({"dgemm m=36 n=11 k=5", "dgemm m=37 n=11 k=5 ldc=40", "dgemm m=37 n=11 k=6", "dsyrk n=9 k=3"});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.next, 4);
  EXPECT_EQ(outcome.calls, 4);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_THAT(outcome.findings[0].call, HasSubstr("dgemm transa=N transb=N m=37 n=11 k=5"));
  EXPECT_GT(outcome.findings[0].error, outcome.findings[0].bound);
  EXPECT_EQ(outcome.findings[0].seed, 2U);
  EXPECT_EQ(outcome.blas->path, FLOPCAST_WRONG_BLAS);
}

TEST_F(LaunchedVerification, ACallThatEndsTheProcessIsAFindingAndTheNextLaunchGoesOn) {
  const VerifyOutcome outcome = launch({"dgemm m=2 n=2 k=2", "dgemm m=13 n=13 k=1", "dgemm m=3 n=3 k=3"});
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_THAT(outcome.findings[0].fault, HasSubstr("signal 6"));
  EXPECT_EQ(outcome.next, 2);
  EXPECT_EQ(launch({"dgemm m=2 n=2 k=2", "dgemm m=13 n=13 k=1", "dgemm m=3 n=3 k=3"}, outcome.next).findings.size(), 0U);
}

TEST_F(LaunchedVerification, SaysWhyALibraryCannotBeUsed) {
  const VerifySubject subject{FLOPCAST_WRONG_BLAS, "/no/such/lapack.so", "", 1};
  const std::vector<Call> calls = {kernel::expand_calls("dgemm m=2 n=2 k=2").front()};
  EXPECT_THAT(this_verify_services(bench_, {}, {subject}).launch(subject, {calls, 0, {}, 1}, [] { return false; }).failure,
              HasSubstr("/no/such/lapack.so"));
}

TEST_F(LaunchedVerification, TheWholeRequestNamesLibraryAndCall) {
  VerifyRequest request;
  request.blas = {FLOPCAST_WRONG_BLAS};
  request.threads = {1};
  request.routines = {"dgemm"};
  request.rounds = 4;
  const Verification result = verify_libraries(bench_, request);
  EXPECT_TRUE(result.is_complete);
  EXPECT_FALSE(result.fails());
  EXPECT_GT(result.libraries[0].calls, 10);
  EXPECT_EQ(result.libraries[0].file, FLOPCAST_WRONG_BLAS);
}

}  // namespace
}  // namespace flopcast
