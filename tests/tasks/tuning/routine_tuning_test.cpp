#include "flopcast/tasks/tuning/routine_tuning.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/program/tuning_file.hpp"
#include "flopcast/support/error.hpp"
#include "tests/own_folder.hpp"
#include "tests/tasks/tuning/synthetic_place.hpp"

namespace flopcast {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::SyntheticMachine;

TuneRequest request() {
  TuneRequest request;
  request.routine = "dgeqrf";
  request.n = {400, 1200};
  request.nb = range(16, 160, 16);
  request.tune_crossover = false;
  return request;
}

TEST(TuneRoutine, FindsABlockSizeThatGains) {
  SyntheticMachine machine;
  machine.defaults.nb = 8;
  TuningSession session(machine.place(), {}, machine.context());

  const Tuning tuning = tune_routine(session, request(), machine.context());

  ASSERT_EQ(tuning.parts.size(), 1U);
  EXPECT_EQ(tuning.parts[0].name(), "dgeqrf");
  ASSERT_EQ(tuning.parts[0].decisions.size(), 2U);
  EXPECT_EQ(tuning.parts[0].queries[1], (QuerySizes{1200, 1200}));
  EXPECT_GT(tuning.parts[0].decisions[1].gain, 0.05);
  EXPECT_GT(tuning.parts[0].decisions[1].chosen.blocks.nb, 8);
  EXPECT_GT(tuning.parts[0].decisions[1].flops, 1e9);
  EXPECT_FALSE(tuning.parts[0].decisions[1].validation);
}

TEST(TuneRoutine, ValidationRunsEveryBlockSizeAndReportsEachProblem) {
  SyntheticMachine machine;
  TuningSession session(machine.place(), {}, machine.context());
  TuneRequest validated = request();
  validated.validate = true;
  std::vector<std::size_t> order;
  bool was_decided = false;
  TuningObserver<Tuning> observer;
  observer.decided = [&](const Tuning& tuning) { was_decided = !tuning.parts.front().decisions.front().validation; };
  observer.validated = [&](const Tuning& tuning, std::size_t part, std::size_t problem) {
    EXPECT_TRUE(tuning.parts[part].decisions[problem].validation);
    order.push_back(problem);
  };

  const Tuning tuning = tune_routine(session, validated, machine.context(), observer);

  EXPECT_TRUE(was_decided);
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1})) << "the shortest first";
  const tuning::Decision& decision = tuning.parts[0].decisions[1];
  EXPECT_EQ(decision.validation->measured.size(), decision.forecasts.size());
  EXPECT_GT(decision.validation->yield, 0.97);
  EXPECT_LE(decision.validation->yield, 1);
}

TEST(TuneRoutine, WithoutTimeForAValidationTheDecisionsStay) {
  SyntheticMachine machine;
  TuningSession session(machine.place(), {}, machine.context());
  TuneRequest validated = request();
  validated.validate = true;
  validated.validation_budget = 0;

  const Tuning tuning = tune_routine(session, validated, machine.context());

  EXPECT_EQ(tuning.parts[0].decisions.size(), 2U);
  EXPECT_FALSE(tuning.parts[0].decisions[0].validation);
  EXPECT_THAT(machine.notes.back(), HasSubstr("before 2 of 2 sizes were run"));
}

TEST(TuneRoutine, ANewSessionInAnotherMoodTimesFewPointsAgain) {
  SyntheticMachine machine;
  const auto tune_in = [&](double hour, double speed, Seconds reference) {
    machine.state = {490000 + hour, reference};
    machine.speed = speed;
    machine.timed = 0;
    TuningSession session(machine.place(), {}, machine.context());
    return tune_routine(session, request(), machine.context());
  };
  const auto check = [&](const Tuning& tuning) {
    for (const tuning::Decision& decision : tuning.parts[0].decisions) {
      for (const tuning::Forecast& forecast : decision.forecasts) {
        Call call = kernel::parse_call(kernel::require("dgeqrf"),
                                       {{"m", std::to_string(decision.sizes[0])}, {"n", std::to_string(decision.sizes[0])}});
        const Seconds truth = machine.truth(algorithm::record(call, forecast.blocks));
        EXPECT_NEAR(forecast.seconds / truth, 1, 0.04) << forecast.blocks.nb;
        EXPECT_LT(forecast.interval.low, truth);
        EXPECT_GT(forecast.interval.high, truth);
      }
    }
  };
  check(tune_in(0, 1, 1e-3));
  const std::size_t first = machine.timed;
  check(tune_in(1, 0.7, 1.4e-3));
  EXPECT_GT(machine.timed, 0U) << "the machine is slower now";
  EXPECT_LE(machine.timed, first);
  check(tune_in(2, 1, 1e-3));
  check(tune_in(3, 0.72, 1.4e-3));
  EXPECT_LT(machine.timed, first) << "the kernels' response is known by now";
}

TEST(TuneRoutine, ANoisyMachineIsNamedAndWidensIntervals) {
  const auto tune_with = [&](double spread, std::vector<std::string>& told) {
    SyntheticMachine machine;
    machine.state = {490000, 1e-3, 0, spread};
    TuningSession session(machine.place(), {}, machine.context());
    const Tuning tuning = tune_routine(session, request(), machine.context());
    told = machine.noisy;
    const tuning::Forecast& chosen = tuning.parts[0].decisions[0].chosen;
    return (chosen.interval.high - chosen.interval.low) / chosen.seconds;
  };
  std::vector<std::string> quiet, noisy;
  const double narrow = tune_with(0, quiet);
  const double wide = tune_with(0.1, noisy);
  EXPECT_THAT(quiet, IsEmpty());
  EXPECT_THAT(noisy, ElementsAre(HasSubstr("the machine was noisy: the times of equal work differed by up to 20 %")));
  EXPECT_GT(wide, 2 * 1.96 * 0.1);
  EXPECT_LT(narrow, 2 * 1.96 * 0.04);
}

TEST(TuneRoutine, IsUndecidedOnAMachineWhoseTimesSayTooLittle) {
  const auto decide_with = [&](double noise, std::vector<std::string>& notes) {
    SyntheticMachine machine;
    machine.state = {490000, 1e-3, noise, noise};
    TuningSession session(machine.place(), {}, machine.context());
    const Tuning tuning = tune_routine(session, request(), machine.context());
    notes = machine.notes;
    return tuning.parts[0].decisions[0];
  };
  std::vector<std::string> quiet, noisy;
  EXPECT_FALSE(tuning::is_undecided(decide_with(0, quiet)));
  const tuning::Decision decision = decide_with(0.5, noisy);
  EXPECT_TRUE(tuning::is_undecided(decision));
  EXPECT_EQ(effective_forecast(decision).blocks, decision.default_.blocks);
  EXPECT_THAT(quiet, Not(Contains(HasSubstr("undecided"))));
  EXPECT_THAT(noisy, Contains(HasSubstr("dgeqrf is undecided for")));
}

TEST(TuneRoutine, ProgramsGetLapacksOwnBlockSizeWhereRunsRefuteTheChosenOne) {
  tuning::Decision decision;
  decision.default_.blocks = {32, 128};
  decision.chosen.blocks = {64, 128};
  EXPECT_EQ(effective_forecast(decision).blocks.nb, 64);
  decision.validation.emplace();
  decision.validation->chosen_seconds = 1.1;
  EXPECT_FALSE(tuning::is_refuted(decision)) << "the default wasn't run";
  decision.validation->default_seconds = 1;
  EXPECT_TRUE(tuning::is_refuted(decision));
  EXPECT_EQ(effective_forecast(decision).blocks.nb, 32);
  decision.validation->repeatability = 0.2;
  EXPECT_FALSE(tuning::is_refuted(decision)) << "two measurements of a run differ more";
}

/// Recording a block size takes so long that the second budget reaches few of them: the tuning file keeps what the first one decided.
TEST(TuneRoutine, AShortBudgetSaysWhatItReachedAndLeavesTheTuningAlone) {
  const tests::OwnFolder folder;
  const std::string tuning_file = (folder.path() / "tuning.json").string();
  SyntheticMachine machine;
  const auto tune_for = [&](Seconds budget) {
    TuningServices place = machine.place();
    place.record = [&machine, record = place.record](const Call& call, const std::optional<algorithm::BlockParameters>& blocks) {
      machine.clock += 0.05;
      return record(call, blocks);
    };
    TuningSession session(std::move(place), {}, machine.context());
    TuneRequest own = request();
    own.time_budget = budget;
    return tune_routine(session, own, machine.context());
  };
  const Tuning first = tune_for(60);
  EXPECT_EQ(save_tuning(tuning_file, first), "");
  const std::vector<program::TunedPoint> points = program::read_tuning(tuning_file).routines.at(0).points;
  EXPECT_EQ(points.at(0).considered, first.parts[0].decisions[0].candidates);
  EXPECT_EQ(points.at(0).samples, first.parts[0].decisions[0].samples);

  machine.kept.clear();
  const Tuning second = tune_for(0.6);
  EXPECT_LT(second.parts[0].decisions[1].considered, second.parts[0].decisions[1].candidates);
  EXPECT_THAT(machine.notes, Contains(HasSubstr("block sizes considered for")));
  EXPECT_THAT(save_tuning(tuning_file, second), HasSubstr("stays, and 1 other with it"));
  EXPECT_EQ(program::read_tuning(tuning_file).routines.at(0).points, points);
}

TEST(TuneRoutine, FlagsThatAreLeftOpenAreAllTuned) {
  SyntheticMachine machine;
  std::vector<std::string> asked;
  TuningServices place = machine.place();
  place.tunable_calls = [&](const Call& call) {
    asked.push_back(flags(call));
    return std::vector<program::TunableCall>{{call, {flags(call), 100, -1, {32, 2, 128}}}};
  };
  TuningSession session(std::move(place), {}, machine.context());
  TuneRequest small;
  small.routine = "dpotrf";
  small.n = {100};
  small.nb = {16, 32};

  const Tuning tuning = tune_routine(session, small, machine.context());

  ASSERT_EQ(tuning.parts.size(), 2U);
  EXPECT_NE(tuning.parts[0].name(), tuning.parts[1].name());
}

TEST(TuneRoutine, RefusesARoutineWithNothingToTune) {
  SyntheticMachine machine;
  TuningServices place = machine.place();
  place.tunable_calls = [](const Call&) { return std::vector<program::TunableCall>(); };
  TuningSession session(std::move(place), {}, machine.context());
  try {
    tune_routine(session, request(), machine.context());
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("never queries ilaenv"));
  }
}

TEST(TuneRoutine, RefusesMissingAndDoubleSizes) {
  SyntheticMachine machine;
  TuningSession session(machine.place(), {}, machine.context());
  EXPECT_THROW(tune_routine(session, {.routine = "dgeqrf"}, machine.context()), Error);
  TuneRequest twice = request();
  twice.sizes["n"] = {100};
  EXPECT_THROW(tune_routine(session, twice, machine.context()), Error);
}

TEST(TuneRoutine, ACancellationBeforeTheFirstDecisionThrows) {
  SyntheticMachine machine;
  machine.stop = true;
  TuningSession session(machine.place(), {}, machine.context());
  EXPECT_THROW(tune_routine(session, request(), machine.context()), Cancelled);
}

TEST(Range, IncludesItsEnd) {
  EXPECT_EQ(range(200, 800, 200), (std::vector<std::int64_t>{200, 400, 600, 800}));
  EXPECT_EQ(range(1, 4, 2), (std::vector<std::int64_t>{1, 3}));
  EXPECT_TRUE(range(3, 2).empty());
}

}  // namespace
}  // namespace flopcast
