#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Runs shell commands with a store of their own, in $FLOPCAST_HOME, which knows the measured machine.
Ended with_own_store(const std::string& commands) {
  return shell("dir=$(mktemp -d); cp $FLOPCAST_HOME/machine-*.json $dir; export FLOPCAST_HOME=$dir; " + commands +
               "; code=$?; rm -r $dir; exit $code");
}

std::string tuned(const std::string& orders) {
  return "flopcast tune dpotrf --n " + orders + " --nb 32,64 --time-budget 2s --quiet >$FLOPCAST_HOME/out 2>&1 && ";
}

TEST(ModelCheck, OfAnEmptyStoreIsRefused) {
  const Ended ended = with_own_store("flopcast model check");
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("has no samples"), HasSubstr("flopcast tune")));
}

TEST(ModelCheck, OfATunedRoutineWritesADocument) {
  const Ended ended = with_own_store(
      tuned("200") + "flopcast model check --time-budget 3s --json --output $FLOPCAST_HOME/check.json && cat $FLOPCAST_HOME/check.json");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const nlohmann::json document = nlohmann::json::parse(ended.out, nullptr, false);
  EXPECT_EQ(document.value("schema", ""), "flopcast-model-check-2");
  EXPECT_LT(document.at("seconds").get<double>(), 3.3);
  ASSERT_FALSE(document.at("kernels").empty());
  EXPECT_THAT(ended.err, HasSubstr("within their 95 % intervals"));
}

TEST(ModelCheck, TakesSomeRoutines) {
  const Ended ended = with_own_store(tuned("200") + "flopcast model check dsyrk --csv && flopcast model check dgetf2");
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.out, AllOf(HasSubstr("kernel,samples"), HasSubstr("dsyrk"), ::testing::Not(HasSubstr("dtrsm"))));
  EXPECT_THAT(ended.err, HasSubstr("no samples of dgetf2"));
}

TEST(ModelCheck, ShowsWhatIsThereAfterCtrlC) {
  const Ended ended = with_own_store(tuned("200,1200") +
                                     "timeout --preserve-status -s INT -k 5 2 flopcast model check --time-budget 60s --repetitions 1000");
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("| kernel"));
  EXPECT_THAT(ended.err, HasSubstr("the store is as it was"));
}

}  // namespace
}  // namespace flopcast::testing
