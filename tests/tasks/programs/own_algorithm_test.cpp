#include "flopcast/tasks/programs/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/tasks/programs/own_algorithm_services.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"
#include "tests/message_of.hpp"
#include "tests/own_folder.hpp"
#include "tests/schema_check.hpp"

namespace flopcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Words = std::vector<std::string>;

/// A program whose last word is its block size nb, which makes 100 calls of nb flops and takes |nb - 40| + 1 seconds, half in kernels.
class FakeProgram {
 public:
  std::vector<Words> dry, executed;
  std::map<std::string, int> dry_codes, codes;  ///< exit codes by block size; others are 0
  bool depends_on_results = false;              ///< one call in ten is there in executed runs only
  bool hangs_dry = false;
  Seconds per_run = 0.1;
  double per_execution = 1;  ///< how many times as long executions take as dry runs say
  std::vector<RaceRequest> races;
  std::vector<std::string> notes;

  ProgramTuning tune(ProgramTuneRequest request) {
    ProgramTuneServices services;
    services.record = [this](const Words& command, bool is_dry) { return record(command, is_dry); };
    services.rank = [this](const std::vector<Candidate>& candidates, Seconds) {
      ranking_ = {};
      for (const Candidate& candidate : candidates) {
        const Seconds own = candidate.parts.front().own_seconds;
        ranking_.candidates.push_back({candidate.name, 2 * own, {own, 3 * own}, own, own});
      }
      return ranked();
    };
    services.rank_again = [this](std::size_t candidate, Seconds change, Seconds) {
      ranking_.candidates[candidate].own_seconds += change;
      ranking_.candidates[candidate].seconds += change;
      return ranked();
    };
    services.place = [] { return "a library with 1 thread"; };
    services.race = [this](const RaceRequest& race) {
      races.push_back(race);
      return CommandRace();
    };
    services.clock = [this] { return now_; };
    RunContext context;
    context.note = [this](const std::string& text) { notes.push_back(text); };
    return tune_program(request, services, context);
  }

 private:
  RecordedSetting record(const Words& command, bool is_dry) {
    (is_dry ? dry : executed).push_back(command);
    now_ += per_run;
    const std::string& nb = command.back();
    RecordedSetting recorded;
    recorded.elapsed = std::abs(std::stod(nb) - 40) / 2 + 0.5;
    recorded.parts = {{{}, recorded.elapsed}};
    recorded.elapsed *= is_dry ? 1 : per_execution;
    recorded.calls["dgemm NN " + nb] = {depends_on_results && is_dry ? 90 : 100, 2};
    recorded.timed_out = hangs_dry && is_dry;
    const auto& of_run = is_dry ? dry_codes : codes;
    recorded.exit_code = recorded.timed_out ? 137 : of_run.count(nb) > 0 ? of_run.at(nb) : 0;
    return recorded;
  }

  CandidateRanking ranked() {
    std::vector<RankedCandidate>& all = ranking_.candidates;
    const auto faster = [](const RankedCandidate& a, const RankedCandidate& b) { return a.seconds < b.seconds; };
    ranking_.best = static_cast<std::size_t>(std::min_element(all.begin(), all.end(), faster) - all.begin());
    for (RankedCandidate& one : all) {
      one.behind = one.seconds / all[ranking_.best].seconds - 1;
      one.tied = one.behind < 1.5;
    }
    return ranking_;
  }

  CandidateRanking ranking_;
  Seconds now_ = 0;
};

ProgramTuneRequest blocks() {
  ProgramTuneRequest request;
  request.command = {"./app", "{nb}"};
  request.parameters = {"nb=8:64:8"};
  return request;
}

std::string setting_of(const TunedConfiguration& one) { return search::to_string(one.setting); }

TEST(ProgramTuning, RunsAllSettingsDryAndTheBestOneAsACheck) {
  FakeProgram program;
  const ProgramTuning tuning = program.tune(blocks());
  ASSERT_EQ(tuning.configurations.size(), 8U);
  EXPECT_EQ(setting_of(tuning.best()), "nb=40");
  EXPECT_EQ(tuning.best().verdict, ConfigurationVerdict::chosen);
  EXPECT_EQ(tuning.best().executed, 0.5);
  EXPECT_EQ(setting_of(tuning.configurations.back()), "nb=8");
  EXPECT_EQ(tuning.configurations.back().verdict, ConfigurationVerdict::slower);
  EXPECT_THAT(program.executed, ElementsAre(Words{"./app", "40"}));
  EXPECT_EQ(tuning.executions, 1);
  EXPECT_FALSE(tuning.calls_depend_on_results);
  EXPECT_GE(program.dry.size(), 10U) << "near ones run three times";
  EXPECT_EQ(std::count(program.dry.begin(), program.dry.end(), Words{"./app", "40"}), 3);
  EXPECT_THAT(tuning.remarks, IsEmpty());
}

TEST(ProgramTuning, CallsThatDependOnResultsAreExecuted) {
  for (const bool hangs : {false, true}) {
    FakeProgram program;
    program.depends_on_results = !hangs;
    program.hangs_dry = hangs;
    const ProgramTuning tuning = program.tune(blocks());
    EXPECT_TRUE(tuning.calls_depend_on_results);
    EXPECT_EQ(program.executed.size(), 8U) << "each once";
    EXPECT_EQ(setting_of(tuning.best()), "nb=40");
    EXPECT_THAT(tuning.remarks, ElementsAre(HasSubstr("every configuration is executed once")));
    EXPECT_EQ(tuning.configurations.back().executed, 16.5);
  }
}

TEST(ProgramTuning, AnUncheckedProgramIsTrusted) {
  FakeProgram program;
  program.depends_on_results = true;
  ProgramTuneRequest request = blocks();
  request.check = false;
  EXPECT_FALSE(program.tune(request).calls_depend_on_results);
  EXPECT_THAT(program.executed, IsEmpty());
}

TEST(ProgramTuning, SettingsThatFailAreNone) {
  FakeProgram program;
  program.dry_codes = program.codes = {{"64", 2}, {"40", 2}};
  const ProgramTuning tuning = program.tune(blocks());
  EXPECT_TRUE(setting_of(tuning.best()) == "nb=32" || setting_of(tuning.best()) == "nb=48");
  EXPECT_EQ(tuning.configurations.back().verdict, ConfigurationVerdict::failed);
  EXPECT_EQ(tuning.configurations.back().failure, "ended with exit code 2");
  EXPECT_FALSE(tuning.calls_depend_on_results);
}

TEST(ProgramTuning, ASettingThatFailsOnlyInTheCheckIsReplaced) {
  FakeProgram program;
  program.codes = {{"40", 1}};
  const ProgramTuning tuning = program.tune(blocks());
  EXPECT_NE(setting_of(tuning.best()), "nb=40");
  EXPECT_EQ(tuning.best().executed, 4.5);
  EXPECT_EQ(tuning.executions, 2);
}

TEST(ProgramTuning, AFailedCheckOfSkippedResultsIsHarmless) {
  FakeProgram program;
  for (int nb = 8; nb <= 64; nb += 8) {
    program.dry_codes[std::to_string(nb)] = 3;
  }
  const ProgramTuning tuning = program.tune(blocks());
  EXPECT_FALSE(tuning.calls_depend_on_results);
  EXPECT_EQ(tuning.executions, 2) << "one when a dry run ended with 3, and the best one";
  EXPECT_EQ(setting_of(tuning.best()), "nb=40");
}

TEST(ProgramTuning, AProgramThatAlwaysFailsIsAnError) {
  FakeProgram program;
  program.dry_codes = program.codes = {{"8", 2}, {"16", 2}};
  ProgramTuneRequest request = blocks();
  request.parameters = {"nb=8,16"};
  try {
    program.tune(request);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::unusable_measurement);
    EXPECT_THAT(error.what(), HasSubstr("'./app 8' fails for every setting: with nb=8 it ended with exit code 2"));
  }
}

TEST(ProgramTuning, TheTimeBudgetEndsIt) {
  FakeProgram program;
  program.per_run = 10;
  ProgramTuneRequest request = blocks();
  request.time_budget = 60;
  const ProgramTuning tuning = program.tune(request);
  EXPECT_EQ(program.dry.size(), 4U + 2U) << "until half of the time is over, and the best of these again";
  EXPECT_EQ(tuning.configurations.back().verdict, ConfigurationVerdict::not_considered);
  EXPECT_THAT(tuning.remarks, testing::Contains(HasSubstr("4 of 8 configurations weren't considered")));
}

TEST(ProgramTuning, AParameterOfWhichOneValueWasConsideredIsNotCalledIdle) {
  FakeProgram program;
  program.per_run = 10;
  ProgramTuneRequest request = blocks();
  request.time_budget = 10;
  EXPECT_THAT(program.tune(request).remarks, ElementsAre(HasSubstr("7 of 8 configurations weren't considered")));
}

TEST(ProgramTuning, AnIdleParameterIsNamed) {
  FakeProgram program;
  ProgramTuneRequest request = blocks();
  request.parameters.emplace_back("MODE=1,2");
  const ProgramTuning tuning = program.tune(request);
  EXPECT_EQ(tuning.configurations.size(), 16U);
  EXPECT_THAT(tuning.remarks, ElementsAre(HasSubstr("parameter MODE changes no call")));
}

TEST(ProgramTuning, VariablesAndTemplatesTakeParameters) {
  const tests::OwnFolder folder;
  const std::string input = (folder.path() / "input.in").string();
  std::ofstream(input) << "block = {nb}\n";
  FakeProgram program;
  ProgramTuneRequest request;
  request.command = {"./app", "40", "--input=" + input};
  request.parameters = {"nb=8,16", "OMP_NUM_THREADS=1"};
  request.templates = {input};
  std::vector<std::string> seen;
  program.per_run = 0;
  ProgramTuneServices services;
  services.record = [&](const Words& command, bool) {
    EXPECT_THAT(Words(command.begin(), command.end() - 1), ElementsAre("env", "OMP_NUM_THREADS=1", "./app", "40"));
    seen.push_back(read_file(command.back().substr(std::string("--input=").size())));
    RecordedSetting recorded;
    recorded.parts = {{{}, 1}};
    return recorded;
  };
  services.rank = [](const std::vector<Candidate>& candidates, Seconds) {
    return CandidateRanking{std::vector<RankedCandidate>(candidates.size()), 0, 0};
  };
  services.rank_again = [](std::size_t, Seconds, Seconds) { return CandidateRanking{std::vector<RankedCandidate>(2), 0, 0}; };
  services.place = [] { return ""; };
  services.clock = [] { return 0; };
  EXPECT_THAT(tune_program(request, services, {}).variables, ElementsAre("OMP_NUM_THREADS"));
  EXPECT_THAT(seen, testing::IsSupersetOf({"block = 8\n", "block = 16\n"}));
  request.command.back() = "other";
  EXPECT_THAT(tests::bad_input_of([&] { static_cast<void>(tune_program(request, services, {})); }), HasSubstr("occurs in no word"));
}

TEST(ProgramTuning, TiesAreRaced) {
  FakeProgram program;
  ProgramTuneRequest request = blocks();
  request.parameters = {"nb=39,40,41,64"};
  request.race = true;
  request.anonymous = true;
  const ProgramTuning tuning = program.tune(request);
  ASSERT_EQ(program.races.size(), 1U);
  EXPECT_THAT(program.races.front().names, ElementsAre("nb=40", "nb=39", "nb=41")) << "twice the time counts as a tie here";
  EXPECT_THAT(program.races.front().commands.front(), ElementsAre("./app", "40"));
  EXPECT_TRUE(program.races.front().anonymous);
  EXPECT_THAT(tuning.command, IsEmpty());
}

TEST(ProgramTuning, WithoutTiesTheNextOneIsRaced) {
  FakeProgram program;
  ProgramTuneRequest request = blocks();
  request.parameters = {"nb=40,64,100"};
  request.race = true;
  program.tune(request);
  ASSERT_EQ(program.races.size(), 1U);
  EXPECT_THAT(program.races.front().names, ElementsAre("nb=40", "nb=64"));
}

TEST(ProgramTuning, ExecutionsThatContradictThePredictionAreNamed) {
  FakeProgram program;
  program.per_execution = 10;
  ProgramTuneRequest request = blocks();
  request.parameters = {"nb=40,64"};
  EXPECT_THAT(program.tune(request).remarks, ElementsAre(HasSubstr("nb=40 took 5.00 s when it was executed")));
}

TEST(ProgramTuning, WrongRequestsAreNamed) {
  FakeProgram program;
  const auto message = [&](const std::function<void(ProgramTuneRequest&)>& change) {
    ProgramTuneRequest request = blocks();
    change(request);
    return tests::bad_input_of([&] { program.tune(request); });
  };
  EXPECT_THAT(message([](auto& r) { r.parameters = {"nb"}; }), HasSubstr("'nb' given, expected a name and its values"));
  EXPECT_THAT(message([](auto& r) { r.parameters.clear(); }), HasSubstr("there is no parameter"));
  EXPECT_THAT(message([](auto& r) { r.command.clear(); }), HasSubstr("there is no program to tune"));
  EXPECT_THAT(message([](auto& r) { r.command = {"./app", "{mb}"}; }), HasSubstr("has {mb}, but there is no parameter 'mb'"));
  EXPECT_THAT(message([](auto& r) { r.space = "space.json"; }), HasSubstr("the command is given twice"));
  EXPECT_THAT(message([](auto& r) { r.conditions = {"nb"}; }), HasSubstr("is no relation"));
}

TEST(ProgramTuning, IsReadBackAsItWasWritten) {
  FakeProgram program;
  program.codes = program.dry_codes = {{"64", 2}};
  ProgramTuneRequest request = blocks();
  request.race = true;
  const ProgramTuning tuning = program.tune(request);
  const std::string text = to_json(tuning);
  EXPECT_EQ(program_tuning_from_json(text), tuning);
  EXPECT_EQ(tests::schema_violation(text, std::vector{program_tuning_schema()}), "");
}

}  // namespace
}  // namespace flopcast
