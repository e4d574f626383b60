#include "flopcast/tasks/mpi/tuner.hpp"
#include "flopcast/tasks/mpi/mpi_schemas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "flopcast/support/error.hpp"
#include "tests/own_folder.hpp"
#include "tests/schema_check.hpp"
#include "tests/tasks/mpi/fake_launcher.hpp"

namespace flopcast {
namespace {

using selective::Policy;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using tests::FakeLauncher;

search::ParameterSpace space_of(const std::vector<std::string>& values) {
  return {"test", {"mpirun", "-n", "2"}, {"./app", "--nb", "{nb}"}, {{"nb", values}}, ""};
}

/// Returns a profile with one kernel, which takes 90 % of the path. Half of its executions are skipped unless the policy is full.
MpiProfile profile_of(const MpiExecution& execution, Seconds seconds) {
  MpiProfile profile;
  profile.mpi = "an MPI";
  profile.ranks = 2;
  profile.where = "here";
  profile.policy = execution.policy;
  profile.critical_path.time = seconds;
  profile.elapsed = execution.policy == Policy::full ? seconds : seconds / 4;
  profile.calls = {{10, "0123"}, {10, "4567"}};
  MpiKernel kernel;
  kernel.name = "dgemm(" + execution.parameters.at("nb") + ")";
  kernel.routine = "dgemm";
  kernel.words = {64, 0, 0, 0, 0, 0, 0, 0};
  kernel.along = {100, 0.009 * seconds, 0, 0.9 * seconds};
  kernel.executed = {execution.policy == Policy::full ? 200 : 100, 0.009 * seconds, 0, 1.8 * seconds};
  kernel.in_context = kernel.executed;
  kernel.skipped = execution.policy == Policy::full ? 0 : 100;
  profile.kernels = {kernel};
  return profile;
}

/// Times of configurations by the value of nb.
FakeLauncher::Program taking(std::map<std::string, Seconds> seconds) {
  return [seconds](const MpiExecution& execution, const MpiKnownKernels&) {
    return profile_of(execution, seconds.at(execution.parameters.at("nb")));
  };
}

class MpiTunerRuns : public ::testing::Test {
 protected:
  MpiTuning tune(const MpiTuneRequest& request, FakeLauncher& launcher) {
    RunContext context;
    context.note = [this](const std::string& text) { notes_.push_back(text); };
    context.cancelled = [this] { return is_cancelled_; };
    return MpiTuner(request, launcher, store_, 4, context).tune();
  }
  static MpiTuneRequest request(const std::vector<std::string>& values) {
    MpiTuneRequest request;
    request.space = space_of(values);
    return request;
  }

  tests::OwnFolder folder_;
  model::Store store_ = model::Store::open(folder_.path() / "store.db");
  std::vector<std::string> notes_;
  bool is_cancelled_ = false;
};

std::vector<MpiVerdict> verdicts(const MpiTuning& tuning) {
  std::vector<MpiVerdict> all;
  for (const MpiConfiguration& each : tuning.configurations) {
    all.push_back(each.verdict);
  }
  return all;
}

TEST_F(MpiTunerRuns, TheMiddleOneIsCheckedFirstThenTheExtremes) {
  FakeLauncher launcher(taking({{"32", 3}, {"64", 2}, {"96", 1}, {"128", 4}, {"160", 5}}));
  const MpiTuning tuning = tune(request({"32", "64", "96", "128", "160"}), launcher);
  EXPECT_THAT(launcher.launches,
              ElementsAre("nb=96 rehearsal, nb=96 full, nb=32 local, nb=160 local, nb=64 local, nb=128 local, nb=96 local"));
  EXPECT_EQ(tuning.launches, 1);
  EXPECT_EQ(tuning.best().setting.at("nb"), "96");
  EXPECT_EQ(tuning.configurations.front().setting.at("nb"), "32") << "the result has the space's order";
  EXPECT_GT(tuning.configurations.at(2).self_check, 0);
  EXPECT_EQ(tuning.configurations.at(1).self_check, 0);
  EXPECT_EQ(tuning.configurations.at(1).executed_share, 0.5);
}

TEST_F(MpiTunerRuns, ATimeBudgetEndsTheLaunchAndLeavesThePredictionsSoFar) {
  MpiTuneRequest limited = request({"32", "64", "96"});
  limited.policy = Policy::full;
  limited.confirm.number = 2;
  limited.time_budget = 5;
  FakeLauncher launcher(taking({{"32", 3}, {"64", 5}, {"96", 3}}));
  const MpiTuning tuning = tune(limited, launcher);
  EXPECT_THAT(launcher.launches, ElementsAre("nb=32 full, nb=96 full, nb=64 full"))
      << "the third doesn't end within 5 s and the grace of 2 s";
  EXPECT_THAT(tuning.configurations, SizeIs(2));
  EXPECT_EQ(tuning.configurations.back().setting.at("nb"), "96");
  EXPECT_EQ(tuning.launches, 1);
}

TEST_F(MpiTunerRuns, NothingIsLaunchedOnceTheTimeBudgetIsSpent) {
  MpiTuneRequest limited = request({"32", "64", "96"});
  limited.policy = Policy::full;
  limited.time_budget = 5;
  FakeLauncher launcher(taking({{"32", 3}, {"64", 3}, {"96", 3}}));
  launcher.max_executions = 1;
  EXPECT_THAT(tune(limited, launcher).configurations, SizeIs(2));
  EXPECT_THAT(launcher.launches, SizeIs(2));
}

TEST_F(MpiTunerRuns, ATimeBudgetWithoutAPredictionIsAnError) {
  MpiTuneRequest limited = request({"32", "64"});
  limited.policy = Policy::full;
  limited.time_budget = 5;
  FakeLauncher launcher(taking({{"32", 8}, {"64", 8}}));
  try {
    static_cast<void>(tune(limited, launcher));
    FAIL() << "there is no result";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::unusable_measurement);
    EXPECT_THAT(error.what(), HasSubstr("the time budget ended before the first prediction. Give a longer one"));
  }
}

TEST_F(MpiTunerRuns, APrioriCountsFirst) {
  MpiTuneRequest a_priori = request({"32", "64"});
  a_priori.policy = Policy::a_priori;
  a_priori.self_check = MpiSelfCheck::none;
  FakeLauncher launcher(taking({{"32", 3}, {"64", 2}}));
  const MpiTuning tuning = tune(a_priori, launcher);
  EXPECT_THAT(launcher.launches, ElementsAre("nb=32 conditional, nb=32 a-priori, nb=64 conditional, nb=64 a-priori"));
  EXPECT_EQ(tuning.configurations.front().elapsed, 1.5) << "both executions count";
}

TEST_F(MpiTunerRuns, APrioriInALaunchOfItsOwnGetsTheCountsOfTheConditionalExecution) {
  MpiTuneRequest a_priori = request({"32", "64"});
  a_priori.policy = Policy::a_priori;
  a_priori.self_check = MpiSelfCheck::none;
  std::vector<std::int64_t> counts;
  FakeLauncher launcher([&counts](const MpiExecution& execution, const MpiKnownKernels& known) {
    if (execution.policy == Policy::a_priori) {
      for (const MpiKernel& kernel : known.list().kernels) {
        if (kernel.name == "dgemm(" + execution.parameters.at("nb") + ")") {
          counts.push_back(kernel.along.count);
        }
      }
    }
    return profile_of(execution, 2);
  });
  launcher.max_executions = 1;
  tune(a_priori, launcher);
  EXPECT_THAT(counts, ElementsAre(100, 100));
}

TEST_F(MpiTunerRuns, OtherCallsThanInFullMakeAllExecutionsFull) {
  FakeLauncher launcher([](const MpiExecution& execution, const MpiKnownKernels&) {
    MpiProfile profile = profile_of(execution, execution.parameters.at("nb") == "32" ? 1 : 2);
    profile.calls.front().calls += execution.policy == Policy::full ? 0 : 1;
    return profile;
  });
  launcher.max_executions = 2;
  const MpiTuning tuning = tune(request({"32", "64"}), launcher);
  EXPECT_THAT(launcher.launches, ElementsAre("nb=64 rehearsal, nb=64 full", "nb=32 full"));
  EXPECT_THAT(notes_, Contains(HasSubstr("executed in full from here on")));
  for (const MpiConfiguration& each : tuning.configurations) {
    EXPECT_FALSE(each.selective);
    EXPECT_EQ(each.executed_share, 1);
  }
}

TEST_F(MpiTunerRuns, TimeInWhichAProcessIsBlockedIsKept) {
  FakeLauncher launcher([](const MpiExecution& execution, const MpiKnownKernels&) {
    MpiProfile profile = profile_of(execution, 2);
    profile.processes.resize(2);
    profile.processes[1].blocked = execution.parameters.at("nb") == "32" ? 0.75 * profile.elapsed : 0.01 * profile.elapsed;
    return profile;
  });
  const MpiTuning tuning = tune(request({"32", "64"}), launcher);
  EXPECT_EQ(tuning.configurations[0].blocked, 0.75 * tuning.configurations[0].elapsed);
  EXPECT_EQ(tuning.configurations[1].blocked, 0) << "it matters little";
  EXPECT_EQ(mpi_tuning_from_json(to_json(tuning)), tuning);
}

TEST_F(MpiTunerRuns, WithoutASelfCheckOtherCallsAreNotNoticed) {
  MpiTuneRequest unchecked = request({"32", "64"});
  unchecked.self_check = MpiSelfCheck::none;
  FakeLauncher launcher(taking({{"32", 3}, {"64", 2}}));
  const MpiTuning tuning = tune(unchecked, launcher);
  EXPECT_THAT(launcher.launches, ElementsAre("nb=32 local, nb=64 local"));
  EXPECT_TRUE(tuning.configurations.front().selective);
}

TEST_F(MpiTunerRuns, APassedSelfCheckIsRememberedForTheSameOptions) {
  FakeLauncher launcher(taking({{"32", 3}, {"64", 2}}));
  EXPECT_FALSE(tune(request({"32", "64"}), launcher).self_check_remembered);
  EXPECT_TRUE(tune(request({"32", "64"}), launcher).self_check_remembered);
  EXPECT_EQ(launcher.launches.back(), "nb=32 local, nb=64 local");
  MpiTuneRequest other = request({"32", "64"});
  other.across_sizes = false;
  EXPECT_FALSE(tune(other, launcher).self_check_remembered);
  other = request({"32", "64"});
  other.fresh = true;
  EXPECT_FALSE(tune(other, launcher).self_check_remembered);
  other.fresh = false;
  other.self_check = MpiSelfCheck::one;
  EXPECT_FALSE(tune(other, launcher).self_check_remembered);
}

TEST_F(MpiTunerRuns, AFailureWithKernelsLeftOutIsClassifiedByAFullExecution) {
  MpiTuneRequest unchecked = request({"32", "64"});
  unchecked.self_check = MpiSelfCheck::none;
  FakeLauncher launcher([](const MpiExecution& execution, const MpiKnownKernels&) {
    return execution.policy == Policy::full ? std::optional(profile_of(execution, 2)) : std::nullopt;
  });
  const MpiTuning tuning = tune(unchecked, launcher);
  EXPECT_THAT(launcher.launches, ElementsAre("nb=32 local", "nb=32 full", "nb=64 full"));
  for (const MpiConfiguration& each : tuning.configurations) {
    EXPECT_FALSE(each.selective);
    EXPECT_NE(each.verdict, MpiVerdict::failed);
  }
}

TEST_F(MpiTunerRuns, AConfigurationThatFailsInFullIsLeftAloneAndTheOthersStaySelective) {
  FakeLauncher launcher([](const MpiExecution& execution, const MpiKnownKernels&) {
    return execution.parameters.at("nb") != "64" ? std::optional(profile_of(execution, 2)) : std::nullopt;
  });
  const MpiTuning tuning = tune(request({"32", "64", "96"}), launcher);  // the self-check takes the middle one
  EXPECT_EQ(verdicts(tuning).at(1), MpiVerdict::failed);
  EXPECT_THAT(notes_, Contains(HasSubstr("configuration nb=64 failed (exit code 3): ./app --nb 64")));
  EXPECT_EQ(tuning.configurations.at(1).failure, "exit code 3");
  EXPECT_TRUE(tuning.configurations.at(0).selective);
  EXPECT_TRUE(tuning.configurations.at(2).selective);
  EXPECT_GT(tuning.configurations.at(0).self_check + tuning.configurations.at(2).self_check, 0) << "another one is checked instead";
  EXPECT_FALSE(tuning.configurations.at(1).predicted);
}

TEST_F(MpiTunerRuns, AFailureBehindAnotherExecutionIsTriedAgainInALaunchOfItsOwn) {
  MpiTuneRequest unchecked = request({"32", "64"});
  unchecked.self_check = MpiSelfCheck::none;
  int executions = 0;
  FakeLauncher launcher([&executions](const MpiExecution& execution, const MpiKnownKernels&) {
    return ++executions == 2 ? std::nullopt : std::optional(profile_of(execution, 2));
  });
  const MpiTuning tuning = tune(unchecked, launcher);
  EXPECT_THAT(launcher.launches, ElementsAre("nb=32 local, nb=64 local", "nb=64 local"));
  EXPECT_THAT(verdicts(tuning), Not(Contains(MpiVerdict::failed)));
}

TEST_F(MpiTunerRuns, AProgramThatFailsEverywhereIsAnError) {
  FakeLauncher launcher([](const MpiExecution&, const MpiKnownKernels&) { return std::optional<MpiProfile>(); });
  try {
    tune(request({"32", "64"}), launcher);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::unusable_measurement);
    EXPECT_THAT(error.what(), HasSubstr("No other configuration ends well either"));
  }
}

TEST_F(MpiTunerRuns, ConfirmedConfigurationsDecideByTheirFullExecutions) {
  MpiTuneRequest confirming = request({"32", "64", "96"});
  confirming.self_check = MpiSelfCheck::none;
  confirming.confirm.number = 2;
  FakeLauncher launcher([](const MpiExecution& execution, const MpiKnownKernels&) {
    const std::map<std::string, Seconds> predicted = {{"32", 1.0}, {"64", 1.1}, {"96", 5}},
                                         in_full = {{"32", 1.3}, {"64", 1.05}, {"96", 5}};
    return profile_of(execution, (execution.policy == Policy::full ? in_full : predicted).at(execution.parameters.at("nb")));
  });
  const MpiTuning tuning = tune(confirming, launcher);
  EXPECT_THAT(launcher.launches, ElementsAre("nb=32 local, nb=96 local, nb=64 local", "nb=32 full, nb=64 full"));
  EXPECT_THAT(verdicts(tuning), ElementsAre(MpiVerdict::finalist, MpiVerdict::chosen, MpiVerdict::slower));
  EXPECT_EQ(tuning.configurations.at(1).full_path, 1.05);
  EXPECT_EQ(tuning.configurations.at(2).full_path, std::nullopt);
}

TEST_F(MpiTunerRuns, TiesAreConfirmedAsLongAsTheyTakeNoLongerThanAllBefore) {
  MpiTuneRequest confirming = request({"32", "64", "96", "128"});
  confirming.self_check = MpiSelfCheck::none;
  confirming.confirm.are_ties = true;
  const auto program = [](Seconds elapsed_in_full) {
    return [elapsed_in_full](const MpiExecution& execution, const MpiKnownKernels&) {
      MpiProfile profile = profile_of(execution, execution.parameters.at("nb") == "128" ? 9 : 1);
      profile.program_variance = 0.01;  // intervals of the first three meet
      profile.elapsed = execution.policy == Policy::full ? elapsed_in_full : 2;
      return profile;
    };
  };
  FakeLauncher quick(program(0.5));
  tune(confirming, quick);
  ASSERT_EQ(quick.launches.size(), 2U);
  EXPECT_EQ(quick.launches.back(), "nb=32 full, nb=64 full, nb=96 full");
  FakeLauncher slow(program(9));
  slow.max_executions = 1;
  tune(confirming, slow);
  EXPECT_EQ(slow.launches.size(), 4U + 2U) << "two, and no more once that took longer than all executions before";
  EXPECT_THAT(notes_, Contains(HasSubstr("finalists took longer than all executions before; 1 are skipped")));
}

/// Kernels and program take the same time whenever they are executed, so that an interval is that of whole executions.
TEST_F(MpiTunerRuns, IntervalsHoldHowMuchExecutionsDiffer) {
  const auto half_width = [&](const std::function<void(MpiProfile&, const std::string& nb)>& change) {
    MpiTuneRequest asked = request({"32", "64", "96"});
    asked.self_check = MpiSelfCheck::none;
    FakeLauncher launcher([&](const MpiExecution& execution, const MpiKnownKernels&) {
      MpiProfile profile = profile_of(execution, 2);
      change(profile, execution.parameters.at("nb"));
      return profile;
    });
    return tune(asked, launcher).configurations.front().half_width.value();
  };
  EXPECT_NEAR(half_width([](MpiProfile&, const std::string&) {}), 1.96 * 0.03 * 2, 1e-3) << "nothing shows how much they differ";
  const auto paces = [](MpiProfile& profile, const std::string& nb) {
    profile.pace = selective::RunTimeRatio{nb == "64" ? 1 : 1.1, nb == "96" ? 1.1 : 1};
  };
  EXPECT_NEAR(half_width(paces), 0, 1e-9) << "most agree";
  const auto apart = [](MpiProfile& profile, const std::string&) { profile.pace = selective::RunTimeRatio{1.1, 1}; };
  EXPECT_NEAR(half_width(apart), 1.96 * 1.4826 * std::log(1.1) * 2, 1e-3);
}

TEST_F(MpiTunerRuns, ValidationComparesAndTeachesNothing) {
  MpiTuneRequest validating = request({"32", "64"});
  validating.validate = true;
  FakeLauncher launcher(taking({{"32", 4}, {"64", 2}}));
  const MpiTuning tuning = tune(validating, launcher);
  EXPECT_EQ(tuning.full_seconds, 6);
  EXPECT_EQ(tuning.selective_seconds, 1.5);
  EXPECT_EQ(tuning.configurations.front().full_path, 4);
}

TEST_F(MpiTunerRuns, KernelTimesAreStoredAndDriftedOnesReplaced) {
  FakeLauncher first(taking({{"32", 4}, {"64", 2}}));
  EXPECT_EQ(tune(request({"32", "64"}), first).drifted_kernels, 0);
  const std::vector<MpiKernel> kept = StoredMpiKernels(store_).read().list().kernels;
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept.front().where, "here");
  EXPECT_NEAR(kept.front().executed.mean, 0.036, 1e-12);
  FakeLauncher slower(taking({{"32", 8}, {"64", 2}}));
  EXPECT_EQ(tune(request({"32", "64"}), slower).drifted_kernels, 1);
  EXPECT_NEAR(StoredMpiKernels(store_).read().list().kernels.front().executed.mean, 0.072, 1e-12);
}

TEST_F(MpiTunerRuns, AFreshTuningStartsWithoutStoredTimes) {
  FakeLauncher first(taking({{"32", 4}, {"64", 2}}));
  tune(request({"32", "64"}), first);
  std::size_t known_kernels = 99;
  FakeLauncher second([&](const MpiExecution& execution, const MpiKnownKernels& known) {
    known_kernels = std::min(known_kernels, known.list().kernels.size());
    return profile_of(execution, 2);
  });
  tune(request({"32", "64"}), second);
  EXPECT_EQ(known_kernels, 2U);
  MpiTuneRequest fresh = request({"32", "64"});
  fresh.fresh = true;
  tune(fresh, second);
  EXPECT_EQ(known_kernels, 0U);
}

TEST_F(MpiTunerRuns, AnInterruptionBetweenLaunchesKeepsWhatIsLearnt) {
  FakeLauncher launcher([this](const MpiExecution& execution, const MpiKnownKernels&) {
    is_cancelled_ = true;
    return profile_of(execution, 2);
  });
  launcher.max_executions = 2;
  EXPECT_THROW(tune(request({"32", "64"}), launcher), Cancelled);
  EXPECT_EQ(launcher.launches.size(), 1U);
  EXPECT_EQ(StoredMpiKernels(store_).read().list().kernels.size(), 1U);
}

TEST_F(MpiTunerRuns, AnInterruptedProgramHasNotFailed) {
  FakeLauncher launcher([this](const MpiExecution&, const MpiKnownKernels&) {
    is_cancelled_ = true;
    return std::optional<MpiProfile>();
  });
  EXPECT_THROW(tune(request({"32"}), launcher), Cancelled);
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(MpiTunerRuns, TooLittleInKernelsIsNoPrediction) {
  FakeLauncher launcher([](const MpiExecution& execution, const MpiKnownKernels&) {
    MpiProfile profile = profile_of(execution, 2);
    if (execution.parameters.at("nb") == "32") {
      profile.kernels.front().along.seconds = 0.1;
    }
    return profile;
  });
  const MpiTuning tuning = tune(request({"32", "64"}), launcher);
  EXPECT_THAT(verdicts(tuning), ElementsAre(MpiVerdict::little_seen, MpiVerdict::chosen));
  MpiTuneRequest strict = request({"32", "64"});
  strict.min_coverage = 1;
  EXPECT_THROW(tune(strict, launcher), Error);
}

TEST_F(MpiTunerRuns, MeasurementsOfANoisyMachineAreUndecided) {
  FakeLauncher launcher([](const MpiExecution& execution, const MpiKnownKernels&) {
    MpiProfile profile = profile_of(execution, execution.parameters.at("nb") == "32" ? 1 : 2);
    if (execution.parameters.at("nb") == "32") {
      profile.kernels.front().along.seconds = 1.1;  // more than the path
    }
    return profile;
  });
  launcher.cores_of_others = 0.7;
  const MpiTuning tuning = tune(request({"32", "64"}), launcher);
  EXPECT_THAT(verdicts(tuning), ElementsAre(MpiVerdict::undecided, MpiVerdict::chosen));
  EXPECT_EQ(tuning.cores_of_others, 0.7);
  EXPECT_THAT(remark_on_undecided(tuning, true), StartsWith("1 configuration is undecided"));
  EXPECT_THAT(remark_on_undecided(tuning, true),
              EndsWith("; 1 of them predicted to be faster than the chosen one. Tune again when the machine "
                       "is idle, or with --clock cpu"));
  EXPECT_THAT(remark_on_undecided(tuning, false), EndsWith("Tune again when the machine is idle"));
  MpiTuning slow = tuning;
  slow.configurations.at(0).predicted = 3;
  slow.clock = protocol::MpiClock::cpu;
  EXPECT_THAT(remark_on_undecided(slow, true), EndsWith("longer than the time. Tune again when the machine is idle"));
  slow.configurations.at(0).verdict = MpiVerdict::slower;
  EXPECT_EQ(remark_on_undecided(slow, true), "");
}

TEST_F(MpiTunerRuns, IntervalsThatMeetTie) {
  FakeLauncher launcher([](const MpiExecution& execution, const MpiKnownKernels&) {
    MpiProfile profile = profile_of(execution, execution.parameters.at("nb") == "96" ? 3 : execution.parameters.at("nb") == "64" ? 1.1 : 1);
    profile.program_variance = 0.01;
    return profile;
  });
  EXPECT_THAT(verdicts(tune(request({"32", "64", "96"}), launcher)), ElementsAre(MpiVerdict::chosen, MpiVerdict::tie, MpiVerdict::slower));
}

TEST(MpiTuning, SurvivesJson) {
  MpiTuning tuning;
  tuning.name = "test";
  tuning.launches = 2;
  tuning.launch_seconds = 1.5;
  tuning.clock = protocol::MpiClock::cpu;
  tuning.cores_of_others = 0.25;
  tuning.full_seconds = 4;
  tuning.selective_seconds = 1;
  MpiConfiguration& good = tuning.configurations.emplace_back();
  good.setting = {{"nb", "32"}, {"depth", "1"}};
  good.verdict = MpiVerdict::chosen;
  good.predicted = 1;
  good.half_width = 0.125;
  good.coverage = 0.5;
  good.executed_share = 0.25;
  good.elapsed = 2;
  good.selective = true;
  good.finalist = true;
  good.spent = selective::TimeSpent{.always = 1, .waiting = 2};
  good.full_path = 1.5;
  good.full_elapsed = 3;
  MpiConfiguration& failed = tuning.configurations.emplace_back();
  failed.setting = {{"nb", "64"}, {"depth", "1"}};
  failed.verdict = MpiVerdict::failed;
  failed.failure = "exit code 3";
  EXPECT_EQ(mpi_tuning_from_json(to_json(tuning)), tuning);
  EXPECT_EQ(tests::schema_violation(to_json(tuning), mpi_schemas()), "");
  tuning.clock.reset();
  EXPECT_EQ(mpi_tuning_from_json(to_json(tuning)), tuning);
  EXPECT_EQ(tests::schema_violation(to_json(tuning), mpi_schemas()), "");
}

TEST(MpiTuning, ErrorsNameTheMember) {
  try {
    static_cast<void>(mpi_tuning_from_json(
        R"({"schema": "flopcast-mpi-tuning-1", "name": "x", "configurations": [{"configuration": {}, "verdict": "good"}]})"));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("configurations[0].verdict"));
  }
}

}  // namespace
}  // namespace flopcast
