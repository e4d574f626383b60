#include "flopcast/tasks/programs/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"
#include "flopcast/tasks/programs/race_services.hpp"
#include "tests/message_of.hpp"
#include "tests/schema_check.hpp"

namespace flopcast {
namespace {

using search::Verdict;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Commands of one word, which take the time of that word, and a little more or less.
class FakeCommands {
 public:
  std::map<std::string, Seconds> seconds = {{"old", 1.0}, {"new", 1.2}, {"quick", 0.5}, {"equal", 1.0}};
  std::map<std::string, int> exit_codes;
  double spread = 0.01;
  std::vector<std::string> started;
  std::vector<CommandRun> kept;
  double busy_cores = 0;
  int prepared = 0, prepare_code = 0;
  std::optional<std::size_t> cancelled_after;  ///< number of started runs
  std::vector<std::string> notes, noise;

  CommandRace race(RaceRequest request) {
    RaceServices services;
    services.prepare = [this] {
      ++prepared;
      return prepare_code;
    };
    services.run = [this](const std::vector<std::string>& command) {
      started.push_back(command.front());
      const Seconds elapsed = seconds.at(command.front()) * (1 + spread * uniform_(random_));
      now_ += elapsed;
      return CommandRun{0, elapsed, elapsed / 2, elapsed / 4, 1000, exit_codes[command.front()]};
    };
    services.last_error = [] { return "no such matrix"; };
    services.start_up = [] { return std::optional(0.001); };
    services.clock = [this] { return now_; };
    services.busy_cores = [this] { return std::optional(busy_cores); };
    services.kept = [this] { return kept; };
    services.keep = [this](std::vector<CommandRun> runs) { kept = std::move(runs); };
    services.cpu = "a CPU";
    RunContext context;
    context.note = [this](const std::string& text) { notes.push_back(text); };
    context.noise = [this](const std::string& text) { noise.push_back(text); };
    context.cancelled = [this] { return cancelled_after && started.size() > *cancelled_after; };
    return race_commands(request, services, context);
  }

 private:
  Seconds now_ = 0;
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> uniform_;
};

RaceRequest pair_of(const std::string& first, const std::string& second) {
  RaceRequest request;
  request.commands = {{first}, {second}};
  return request;
}

TEST(RaceCommands, GivesEveryCommandAVerdictOnTheFirst) {
  FakeCommands commands;
  RaceRequest request = pair_of("old", "new");
  request.commands.insert(request.commands.end(), {{"quick"}, {"equal"}});
  request.names = {"before"};
  const CommandRace race = commands.race(request);
  EXPECT_EQ(race.ending, RaceEnding::decided);
  EXPECT_EQ(race.commands[0].against_reference, std::nullopt);
  EXPECT_EQ(race.commands[1].against_reference->verdict, Verdict::slower);
  EXPECT_EQ(race.commands[2].against_reference->verdict, Verdict::faster);
  EXPECT_EQ(race.commands[3].against_reference->verdict, Verdict::same);
  EXPECT_NEAR(*race.commands[1].against_reference->ratio, 1.2, 0.02);
  EXPECT_LT(race.commands[1].against_reference->interval->high, 1.22);
  EXPECT_NE(race.control.verdict, Verdict::unsure);
  EXPECT_EQ(race.commands[0].name, "before");
  EXPECT_EQ(race.commands[1].name, "new");
  EXPECT_EQ(race.commands[0].runs, race.rounds) << "runs of warm-up and control don't count";
  EXPECT_NEAR(*race.commands[2].elapsed, 0.5, 0.01);
  EXPECT_DOUBLE_EQ(*race.commands[2].user * 2, *race.commands[2].elapsed);
  EXPECT_EQ(race.commands[2].resident_bytes, 1000);
  EXPECT_EQ(race.start_up, 0.001);
  EXPECT_THAT(commands.kept, IsEmpty());
  EXPECT_THAT(race.remarks, IsEmpty());
}

TEST(RaceCommands, WarmsUpAndPreparesEveryRun) {
  FakeCommands commands;
  RaceRequest request = pair_of("old", "new");
  request.warmup = 2;
  const CommandRace race = commands.race(request);
  EXPECT_THAT(std::vector(commands.started.begin(), commands.started.begin() + 4), ElementsAre("old", "new", "old", "new"));
  EXPECT_EQ(commands.started.size(), static_cast<std::size_t>(4 + 3 * race.rounds));
  EXPECT_EQ(commands.prepared, static_cast<int>(commands.started.size()));
  commands.prepare_code = 2;
  request.prepare = "make clean";
  EXPECT_THAT(tests::message_of([&] { commands.race(request); }), HasSubstr("the preparation 'make clean' ended with exit code 2"));
}

TEST(RaceCommands, FailsOnlyIfACommandIsCertainlySlowerThanAllowed) {
  RaceRequest request = pair_of("old", "new");
  const auto fails = [&](double limit) {
    request.fail_above = limit;
    return FakeCommands().race(request).fails();
  };
  EXPECT_TRUE(fails(0.1));
  EXPECT_TRUE(fails(0));
  EXPECT_FALSE(fails(0.3));
  request.max_runs = 3;
  EXPECT_FALSE(fails(0.1)) << "three runs tell nothing";
  EXPECT_FALSE(FakeCommands().race(pair_of("old", "new")).fails());
}

TEST(RaceCommands, GoesOnWhereTheTimeWasUsedUp) {
  FakeCommands whole, parts;
  RaceRequest request = pair_of("old", "equal");
  whole.spread = parts.spread = 0.1;
  request.warmup = 0;
  request.time_budget = 1000;
  const CommandRace expected = whole.race(request);
  ASSERT_GT(expected.rounds, 10);
  request.time_budget = 20;
  CommandRace race = parts.race(request);
  EXPECT_EQ(race.ending, RaceEnding::budget);
  const std::size_t first = parts.started.size();
  EXPECT_EQ(parts.kept.size(), first);
  request.time_budget = 1000;
  race = parts.race(request);
  EXPECT_EQ(race.ending, RaceEnding::decided);
  EXPECT_EQ(race.resumed_runs, static_cast<std::int64_t>(first));
  EXPECT_EQ(parts.started, whole.started) << "no run was made twice";
  EXPECT_EQ(race.commands, expected.commands);
  EXPECT_THAT(parts.kept, IsEmpty());
}

TEST(RaceCommands, BeginsAnewIfAskedOrIfOtherCommandsWereKept) {
  FakeCommands commands;
  commands.kept = {{2, 100}, {0, 100}, {1, 100}};
  RaceRequest request = pair_of("old", "new");
  request.restart = true;
  EXPECT_EQ(commands.race(request).resumed_runs, 0);
  request.restart = false;
  commands.kept = {{7, 100}};
  EXPECT_EQ(commands.race(request).resumed_runs, 0);
}

TEST(RaceCommands, AnInterruptedRaceShowsAndKeepsWhatThereIs) {
  FakeCommands commands;
  commands.cancelled_after = 20;
  const CommandRace race = commands.race(pair_of("old", "new"));
  EXPECT_EQ(race.ending, RaceEnding::interrupted);
  EXPECT_EQ(race.rounds, 6);
  EXPECT_EQ(race.commands[1].against_reference->verdict, Verdict::unsure);
  EXPECT_EQ(race.commands[1].against_reference->interval, std::nullopt);
  EXPECT_NEAR(*race.commands[1].against_reference->ratio, 1.2, 0.02);
  EXPECT_EQ(commands.kept.size(), 18U) << "without warm-up, and without the run that the interruption may have ended";
  commands.started.clear();
  commands.cancelled_after = 0;
  EXPECT_THROW(commands.race(pair_of("old", "new")), Cancelled) << "in the warm-up";
  EXPECT_EQ(commands.kept.size(), 18U);
}

TEST(RaceCommands, AFailingCommandIsNamedUnlessFailuresAreIgnored) {
  FakeCommands commands;
  commands.exit_codes["new"] = 3;
  RaceRequest request = pair_of("old", "new");
  const std::string message = tests::message_of([&] { commands.race(request); });
  EXPECT_THAT(message, HasSubstr("'new' ended with exit code 3, and its standard error with: no such matrix"));
  request.ignore_failure = true;
  const CommandRace race = commands.race(request);
  EXPECT_EQ(race.commands[1].failures, race.commands[1].runs);
  EXPECT_EQ(race.commands[0].failures, 0);
}

TEST(RaceCommands, NoiseAndOutliersAreSaid) {
  FakeCommands commands;
  commands.busy_cores = 1.5;
  CommandRace race = commands.race(pair_of("old", "new"));
  EXPECT_THAT(race.remarks, ElementsAre("the machine was noisy: other programs kept 1.5 cores busy"));
  EXPECT_THAT(commands.noise, ElementsAre(race.remarks.front()));
  commands.busy_cores = 0;
  commands.kept = {{0, 1.0}, {1, 50.0}, {2, 1.0}};
  RaceRequest request = pair_of("old", "new");
  bool is_said = false;
  for (std::vector<std::size_t> order : {std::vector<std::size_t>{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
    commands.kept.clear();
    for (const std::size_t command : order) {
      commands.kept.push_back({command, command == 1 ? 50.0 : 1.0});
    }
    race = commands.race(request);
    is_said = is_said || (race.resumed_runs == 3 && race.commands[1].outliers == 1 && race.remarks.size() == 1 &&
                          race.remarks[0].starts_with("new: 1 of "));
  }
  EXPECT_TRUE(is_said) << "one of the orders is that of the first round";
}

TEST(RaceCommands, RequestsThatMakeNoSenseAreRefused) {
  RaceRequest request = pair_of("old", "new");
  request.names = {"a", "b", "c"};
  EXPECT_THAT(tests::bad_input_of([&] { FakeCommands().race(request); }), HasSubstr("3 names given for 2 commands"));
  request.names.clear();
  request.min_runs = 20;
  request.max_runs = 10;
  EXPECT_THAT(tests::bad_input_of([&] { FakeCommands().race(request); }), HasSubstr("at least 20 and at most 10 runs"));
  request.commands.emplace_back();
  EXPECT_THAT(tests::bad_input_of([&] { FakeCommands().race(request); }), HasSubstr("no command given, or an empty one"));
}

TEST(RaceCommands, AnonymousResultsHaveNoWordsOfTheRequest) {
  RaceRequest request = pair_of("old", "new");
  request.names = {"secret"};
  request.prepare = "secret --key";
  request.input = "/home/secret";
  request.anonymous = true;
  const CommandRace race = FakeCommands().race(request);
  EXPECT_EQ(race.commands[0].name, "A");
  EXPECT_EQ(race.commands[1].name, "B");
  for (const char* word : {"secret", "old", "new"}) {
    EXPECT_THAT(to_json(race), testing::Not(HasSubstr(word)));
  }
  request.anonymous = false;
  EXPECT_THAT(to_json(FakeCommands().race(request)),
              testing::AllOf(HasSubstr("/home/secret"), HasSubstr("secret --key"), HasSubstr("new")));
}

TEST(RaceCommands, DocumentsReadBackEqual) {
  RaceRequest request = pair_of("old", "new");
  request.fail_above = 0.1;
  CommandRace race = FakeCommands().race(request);
  race.remarks = {"a remark"};
  race.commands[1].failures = 2;
  EXPECT_EQ(command_race_from_json(to_json(race)), race);
  EXPECT_EQ(tests::schema_violation(to_json(race), std::vector{race_schema()}), "");
  FakeCommands none;
  none.seconds["old"] = 100;  // the budget allows one warm-up
  race = none.race(request);
  EXPECT_EQ(race.commands[0].runs, 0);
  EXPECT_EQ(command_race_from_json(to_json(race)), race);
  EXPECT_EQ(tests::schema_violation(to_json(race), std::vector{race_schema()}), "");
}

}  // namespace
}  // namespace flopcast
