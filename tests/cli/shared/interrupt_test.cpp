#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

using ::testing::HasSubstr;

/// Runs `flopcast COMMAND` where no machine was measured, and ends it after 0.7 s by `signal`, which timeout(1) sends twice: to the process
/// and to its group. Where it hasn't ended 3 s later, it is killed (137).
Ended ended_early(const std::string& command, const std::string& signal) {
  return shell("home=$(mktemp -d); FLOPCAST_HOME=$home timeout --preserve-status -s " + signal + " -k 3 0.7 flopcast " + command +
               "; code=$?; rm -r $home; exit $code");
}

class EarlyEnds : public ::testing::TestWithParam<const char*> {};

TEST_P(EarlyEnds, WhileCachesAreMeasuredAreNoFailureOfTheMeasurement) {
  const Ended ended = ended_early(GetParam(), "INT");
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("flopcast: interrupted"));
}

INSTANTIATE_TEST_SUITE_P(Interrupt, EarlyEnds,
                         ::testing::Values("machine", "sample dgemm m=64 n=64 k=64", "tune dgeqrf --n 200", "tune lapack --tuning p.json",
                                           "rank cholesky --n 200", "contract 'abc=ai,ibc' a=b=c=i=8", "predict dgeqrf n=300 nb=32",
                                           "model build dtrsm side=L uplo=L transa=N m=8:64 n=8:64", "roofline --no-gemm",
                                           "contract 'abc=ai,ibc' a=b=c=i=8 --run"));

TEST(Interrupt, SigtermEndsLikeCtrlCWithItsOwnCode) {
  const Ended ended = ended_early("rank cholesky --n 200", "TERM");
  EXPECT_EQ(ended.code, 143) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("flopcast: interrupted"));
}

/// One product of 8000 x 8000 matrices takes minutes by the reference BLAS, in which nothing polls.
TEST(Interrupt, DoesNotWaitForTheEndOfALongKernel) {
  const Ended ended = shell("timeout --preserve-status -s INT -k 30 3 flopcast sample dgemm m=8000 n=8000 k=8000 --blas reference");
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("flopcast: interrupted"));
}

/// The signal comes while the program waits for the reader of its results, which are longer than a pipe holds. Nothing is left to do then.
TEST(Interrupt, OfAFinishedCommandStillShowsInItsCode) {
  const Ended ended = shell(
      "dir=$(mktemp -d); mkfifo $dir/pipe; flopcast schema flopcast-request-1 > $dir/pipe 2> $dir/err & pid=$!; exec 3< $dir/pipe; "
      "head -c 1 <&3 > /dev/null; kill -INT $pid; cat <&3 > /dev/null; wait $pid; code=$?; cat $dir/err >&2; rm -r $dir; exit $code");
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("flopcast: interrupted"));
}

#ifdef FLOPCAST_EXAMPLE_QR
TEST(Interrupt, OfAQuestionAboutARecordingIsNoFailureEither) {
  const Ended ended =
      shell("dir=$(mktemp -d); flopcast record --quiet --output $dir/t -- " FLOPCAST_EXAMPLE_QR
            " 200 > $dir/out; FLOPCAST_HOME=$dir timeout --preserve-status -s INT -k 3 0.7 flopcast profile $dir/t --what-if "
            "blas=reference,threads=1; code=$?; rm -r $dir; exit $code");
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("flopcast: interrupted"));
}
#endif

/// The signal comes as soon as something is shown, while 2000 runs are validated.
Ended ended_while_validating(const std::string& command, const std::string& signal) {
  return shell("dir=$(mktemp -d); flopcast " + command + " > $dir/out 2> $dir/err & pid=$!; " +
               "for i in $(seq 1500); do grep -q '|' $dir/out && break; sleep 0.02; done; kill -" + signal +
               " $pid; wait $pid; code=$?; cat $dir/out; cat $dir/err >&2; rm -r $dir; exit $code");
}

TEST(Interrupt, WhileATuningIsValidatedTheTuningIsThere) {
  const std::string command = "tune dgeqrf --lapack reference --n 400 --nb 32,64 --time-budget 3s --validate --repetitions 1000";
  const Ended ended = ended_while_validating(command, "TERM");
  EXPECT_EQ(ended.code, 143) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("chosen nb"));
  EXPECT_THAT(ended.err, HasSubstr("the tuning is shown"));
}

TEST(Interrupt, WhileARankingIsValidatedTheRankingIsThere) {
  const Ended ended = ended_while_validating("rank cholesky --n 400 --nb 32 --time-budget 3s --validate --repetitions 1000", "INT");
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("| rank |"));
  EXPECT_THAT(ended.err, HasSubstr("what was ranked"));
}

}  // namespace
}  // namespace flopcast::testing
