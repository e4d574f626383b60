#include "flopcast/tasks/tuning/lapack_tuning.hpp"

#include <gmock/gmock.h>

#include <set>

#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

/// A LAPACK whose routines all query ilaenv, and a clock that only deciding advances.
struct FakeLapack {
  Seconds clock = 0;
  double share_used = 1;  ///< part of its budget that a decision takes
  bool completes = true;  ///< decisions are complete after the first pass
  double regret = 0;      ///< regret of all decisions
  std::string failing;    ///< a routine that throws
  int decisions_before_stop = 1 << 30;
  std::vector<std::pair<std::string, Seconds>> decided;  ///< routine and budget
  std::set<std::string> kept;
  std::vector<program::TunedRoutine> known;

  LapackTuning tune(const LapackRequest& request) {
    LapackServices services;
    services.tunable_routines = [](const std::vector<Call>& calls) {
      TunableRoutine routine{calls.front().routine, flags(calls.front()), {}, {}};
      for (const Call& call : calls) {
        routine.problems.push_back({call, {}, {}});
        routine.queries.push_back({"", sizes(call)[0], -1, {}});
      }
      return std::vector<TunableRoutine>{routine};
    };
    services.decide = [this](const TunableRoutine& routine, const tuning::BlockSizeOptions& options) {
      if (routine.routine->name == failing) {
        throw environment_error("{} gave up", failing);
      }
      decided.emplace_back(routine.routine->name, options.time_budget);
      clock += share_used * options.time_budget;
      tuning::BlockSizeResult result;
      result.decisions.resize(routine.problems.size());
      for (tuning::Decision& decision : result.decisions) {
        decision.regret = regret;
      }
      result.complete = completes;
      return result;
    };
    services.keep = [this](const TunableRoutine& routine, const std::vector<tuning::Decision>&) {
      kept.insert(routine.routine->name);
      return std::string();
    };
    services.clock = [this] { return clock; };
    RunContext context;
    context.cancelled = [this] { return static_cast<int>(decided.size()) >= decisions_before_stop; };
    return tune_lapack(request, services, known, context);
  }

  [[nodiscard]] Seconds spent_on(const std::string& routine) const {
    Seconds sum = 0;
    for (const auto& [name, budget] : decided) {
      sum += name == routine ? budget : 0;
    }
    return sum;
  }
};

LapackRequest request(Seconds budget) {
  LapackRequest request;
  request.precisions = "d";
  request.n = {100};
  request.time_budget = budget;
  return request;
}

TEST(TuneLapack, SpendsNoMoreThanItsBudget) {
  FakeLapack lapack;
  lapack.completes = false;  // each routine uses all of its share
  const LapackTuning tuning = lapack.tune(request(600));
  EXPECT_LE(lapack.clock, 600 + 1e-6);
  EXPECT_GT(lapack.clock, 500);
  EXPECT_TRUE(tuning.left_out.empty());
}

TEST(TuneLapack, TheMostUsedRoutinesComeFirstAndGetMore) {
  FakeLapack lapack;
  lapack.completes = false;
  lapack.tune(request(600));
  EXPECT_EQ(lapack.decided.front().first, "dgeqrf");
  EXPECT_GT(lapack.spent_on("dgeqrf"), 4 * lapack.spent_on("dorgrq"));
}

TEST(TuneLapack, AShortBudgetLeavesTheLeastUsedOut) {
  FakeLapack lapack;
  lapack.completes = false;
  const LapackTuning tuning = lapack.tune(request(20));
  EXPECT_EQ(lapack.decided.front().first, "dgeqrf");
  EXPECT_THAT(tuning.left_out, Contains("dorgrq"));
  EXPECT_LE(lapack.clock, 20 + 1e-6);
}

TEST(TuneLapack, TimeThatOneRoutineDoesNotUseGoesToTheOthers) {
  FakeLapack sparing;
  sparing.share_used = 0.5;
  sparing.tune(request(600));
  FakeLapack spending;
  spending.completes = false;
  spending.tune(request(600));
  const Seconds budget_of_last = sparing.decided.back().second;
  EXPECT_GE(budget_of_last, spending.decided.back().second);
}

TEST(TuneLapack, AnIncompleteDecisionIsMadeAgainWithTheRestOfTheShare) {
  FakeLapack lapack;
  lapack.completes = false;
  lapack.tune(request(600));
  EXPECT_EQ(lapack.decided[0].first, lapack.decided[1].first);
  EXPECT_DOUBLE_EQ(lapack.decided[0].second, 5);
  EXPECT_GT(lapack.decided[1].second, 5);
}

TEST(TuneLapack, KeepsEachRoutineAsSoonAsItIsDecided) {
  FakeLapack lapack;
  lapack.decisions_before_stop = 3;
  const LapackTuning tuning = lapack.tune(request(600));
  EXPECT_TRUE(tuning.cancelled);
  EXPECT_EQ(tuning.routines.size(), 3U);
  EXPECT_THAT(lapack.kept, Contains("dgeqrf"));
}

TEST(TuneLapack, UndecidedRoutinesAreNotKept) {
  FakeLapack lapack;
  lapack.regret = 0.2;
  const LapackTuning tuning = lapack.tune(request(600));
  EXPECT_TRUE(lapack.kept.empty());
  EXPECT_THAT(tuning.routines.front().remark, HasSubstr("undecided for 3 sizes"));
}

TEST(TuneLapack, ARoutineThatFailsDoesNotEndTheOthers) {
  FakeLapack lapack;
  lapack.failing = "dgeqrf";
  const LapackTuning tuning = lapack.tune(request(600));
  EXPECT_EQ(tuning.routines.front().remark, "dgeqrf gave up");
  EXPECT_GT(tuning.routines.size(), 20U);
}

TEST(TuneLapack, KnownRoutinesAreLeftAlone) {
  FakeLapack lapack;
  lapack.known = {{"dgetrf", "", {{100, 100, {64, 2, 0}, {}, 0, false}}}, {"dgehrd", "", {{100, 100, {64, 2, 0}, {}, 0, true}}}};
  lapack.tune(request(600));
  EXPECT_EQ(lapack.spent_on("dgetrf"), 0);
  EXPECT_GT(lapack.spent_on("dgehrd"), 0) << "it is undecided";
}

TEST(TuneLapack, RefusesLettersThatAreNoPrecision) {
  FakeLapack lapack;
  LapackRequest wrong = request(600);
  wrong.precisions = "dx";
  EXPECT_THROW(lapack.tune(wrong), Error);
  wrong.precisions = "";
  EXPECT_THROW(lapack.tune(wrong), Error);
}

}  // namespace
}  // namespace flopcast
