#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/statistics.hpp"
#include "flopcast/search/verdict.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/workbench/workbench.hpp"

/// Which of several commands is faster: their runs are interleaved, and the race stops once the answer is certain.
namespace flopcast {

/// Commands that are raced against the first of them, the reference.
struct RaceRequest {
  std::vector<std::vector<std::string>> commands;  ///< programs with their arguments; no shell is in between
  std::vector<std::string> names;                  ///< names of the first commands in results; others are named by their words
  std::int64_t warmup = 1;                         ///< runs of each command before the race, which don't count
  std::string prepare;                             ///< command of a shell before each run, whose time doesn't count
  std::string input;                               ///< file that is each run's standard input; empty: nothing
  std::int64_t min_runs = 1, max_runs = 1000;      ///< runs of the reference that count; a verdict needs 8 or more
  Fraction tolerance = 0.02;
  std::optional<Fraction> fail_above;
  Duration time_budget = 60;
  bool ignore_failure = false;  ///< runs that end with another exit code than 0 count
  bool show_output = false;     ///< the commands' output goes to standard error
  bool anonymous = false;       ///< the result has no words of commands, names, or files
  bool fresh = false;           ///< an interrupted race isn't resumed
};
template <>
Fields FieldTable<RaceRequest>::fields();

/// A command's times, and its ratio to the reference.
struct RacedCommand {
  std::string name;
  std::vector<std::string> command;                         ///< empty for RaceRequest::anonymous
  std::optional<search::ReferenceRatio> against_reference;  ///< elapsed times; nothing for the reference
  bool above_limit = false;                                 ///< certainly slower than RaceRequest::fail_above allows
  std::optional<Seconds> elapsed;                           ///< median from start to end; nothing without runs, as the next members
  std::optional<Interval> elapsed_interval;                 ///< 95 % interval of the median; the range with fewer than 6 runs
  std::optional<Seconds> user, system;                      ///< median CPU times
  std::optional<std::int64_t> resident_bytes;               ///< median peak of resident memory; nothing where flopcast itself has more
  std::int64_t runs = 0, failures = 0, outliers = 0;
  friend bool operator==(const RacedCommand&, const RacedCommand&) = default;
};

enum class RaceEnding : std::uint8_t {
  decided,  ///< every command has a verdict
  budget,   ///< time or runs are used up
  interrupted
};

/// The result of a race, valid whenever the race ended.
struct CommandRace {
  std::vector<RacedCommand> commands;
  search::ReferenceRatio control;  ///< the reference against itself, in additional runs of the same rounds
  RaceEnding ending = RaceEnding::budget;
  std::int64_t rounds = 0, resumed_runs = 0;
  std::optional<Seconds> start_up;  ///< elapsed time of a program that does nothing, which no time is reduced by
  double tolerance = 0;
  std::optional<double> fail_above;
  std::string prepare, input;  ///< empty for RaceRequest::anonymous
  std::string cpu;
  std::vector<std::string> remarks;  ///< sentences on noise and outliers
  friend bool operator==(const CommandRace&, const CommandRace&) = default;

  /// Returns whether a command is certainly slower than the reference by more than RaceRequest::fail_above.
  [[nodiscard]] bool fails() const;
};

/// Races commands until each has a verdict, or time or runs are used up. A race that ends early keeps its runs in the store, and the same
/// commands go on from there in the next call, unless a file among their words has changed. Throws environment_error for a program that
/// doesn't exist, unusable_measurement for a run that fails, and Cancelled if nothing was timed before the interruption.
CommandRace race_commands(const Workbench& bench, const RaceRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-race-1", ...}.
std::string to_json(const CommandRace& race);
CommandRace command_race_from_json(std::string_view text);

}  // namespace flopcast
