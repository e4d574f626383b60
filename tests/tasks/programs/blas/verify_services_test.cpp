#include "flopcast/tasks/programs/verify_services.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <optional>

#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/workbench/workbench.hpp"
#include "tests/message_of.hpp"
#include "tests/own_folder.hpp"

namespace flopcast {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class LaunchedVerification : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("FLOPCAST_HOME", own_.path().c_str(), 1); }
  void TearDown() override { ::unsetenv("FLOPCAST_HOME"); }

  /// Verifies calls of the wrong library.
  VerifyOutcome launch(const std::vector<std::string>& texts, std::int64_t first = 0, int threads = 1) {
    std::vector<Call> calls;
    for (const std::string& text : texts) {
      calls.push_back(kernel::expand_calls(text).front());
    }
    const VerifySubject subject{FLOPCAST_WRONG_BLAS, "reference", "", threads};
    return this_verify_services(bench_, {}, {subject}).launch(subject, {calls, first, {}, 1}, [] { return false; });
  }

  /// Compiles a source, links it with `libraries`, and runs the program.
  tests::Result run(const std::string& source, const std::string& libraries) {
    std::ofstream(own_.path() / "wrong.c") << source;
    return tests::run_in(
        own_.path(),
        FLOPCAST_C_COMPILER " -std=c99 -Wall -Wextra -Wpedantic -Werror -O1 wrong.c -o wrong " +
            (libraries.empty() ? "" : fmt::format("{} -Wl,-rpath,{}", libraries, std::filesystem::path(libraries).parent_path().string())) +
            " -l:libblas.so.3 -lm && ./wrong");
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

TEST_F(LaunchedVerification, AFindingIsReproducedWithTheWrongLibraryOnly) {
  VerifyServices services = this_verify_services(bench_, {}, {});
  const std::vector<Call> shapes = {kernel::expand_calls("dgemm m=37 n=11 k=5 alpha=0.8125 beta=0 ldc=40").front(),
                                    kernel::expand_calls("dgemm m=13 n=13 k=1").front()};
  services.launch = [&, launch = services.launch](const VerifySubject& subject, const VerifyCalls& calls, const auto& stops) {
    VerifyOutcome outcome = launch(subject, {shapes, 0, {}, 7}, stops);
    outcome.next = static_cast<std::int64_t>(calls.calls.size());
    return outcome;
  };
  services.kept = [] { return std::nullopt; };
  services.keep = [](const Verification*) {};
  VerifyRequest request;
  request.routines = {"dgemm"};
  request.rounds = 1;
  request.reproducer = (own_.path() / "found.c").string();
  const Verification result = verify_libraries(request, {{FLOPCAST_WRONG_BLAS, "reference", "", 1}}, services, {});
  ASSERT_EQ(result.libraries[0].findings.size(), 2U);
  const std::string source = tests::contents(request.reproducer);
  const tests::Result wrong = run(source, FLOPCAST_WRONG_BLAS);
  EXPECT_EQ(wrong.exit_code, 1) << wrong.err;
  // The numbers are those of the verification, and so is the error.
  EXPECT_THAT(wrong.out, AllOf(HasSubstr(fmt::format("element (37, 11): error {:.3g}", result.libraries[0].findings[0].error)),
                               HasSubstr("WRONG"), HasSubstr("ended by signal 6")));
  const tests::Result right = run(source, "");
  EXPECT_EQ(right.exit_code, 0) << right.err;
  EXPECT_THAT(right.out, AllOf(HasSubstr(": right"), Not(HasSubstr("WRONG"))));
}

TEST_F(LaunchedVerification, AWrongResultOfTwoThreadsIsFoundAndReproduced) {
  EXPECT_EQ(launch({"dgemm m=24 n=24 k=3"}).findings.size(), 0U);
  EXPECT_EQ(launch({"dgemm m=24 n=24 k=3"}, 0, 2).findings.size(), 1U);
  VerifyRequest request;
  request.blas = {FLOPCAST_WRONG_BLAS};
  request.threads = {1, 2};
  request.routines = {"dgemm"};
  request.rounds = 5;
  request.reproducer = (own_.path() / "found.c").string();
  const Verification result = verify_libraries(bench_, request);
  ASSERT_EQ(result.libraries.size(), 2U);
  EXPECT_THAT(result.libraries[0].findings, IsEmpty());
  EXPECT_EQ(result.libraries[1].threads, 2);
  EXPECT_THAT(result.libraries[1].findings, Not(IsEmpty()));
  const std::string source = tests::contents(request.reproducer);
  const tests::Result wrong = run(source, FLOPCAST_WRONG_BLAS);
  EXPECT_EQ(wrong.exit_code, 1) << wrong.err;
  EXPECT_THAT(wrong.out, AllOf(HasSubstr("with 2 threads"), HasSubstr("element (1, 1): error 0.001"), HasSubstr("WRONG")));
  EXPECT_EQ(run(source, "").exit_code, 0);
}

TEST_F(LaunchedVerification, RefusesAReproducerThatCantBeWritten) {
  VerifyRequest request;
  request.blas = {FLOPCAST_WRONG_BLAS};
  request.reproducer = "/no/such/folder/wrong.c";
  EXPECT_THAT(tests::message_of([&] { verify_libraries(bench_, request); }), HasSubstr("its folder doesn't exist"));
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
