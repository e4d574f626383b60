#include <nlohmann/json.hpp>

#include "flopcast/core/documents.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/request_types.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"

namespace flopcast {
namespace {

constexpr const char* race_document = "flopcast-race-1";

}  // namespace

template <>
struct EnumNames<RaceEnding> {
  static constexpr std::array names{std::pair{RaceEnding::decided, "decided"}, std::pair{RaceEnding::budget, "budget"},
                                    std::pair{RaceEnding::interrupted, "interrupted"}};
};

template <>
Fields FieldTable<RaceRequest>::fields() {
  return {
      field<&T::commands>("commands, each a program and its arguments; the first is the reference").within(bounds::command).option(""),
      optional_field<&T::names>("names of the commands in results, in their order").option("name", "name of a command in results"),
      optional_field<&T::warmup>("runs of each command that come first and don't count").within(bounds::between(0, 1e6)),
      optional_field<&T::prepare>("command of the shell sh before each run, whose time doesn't count; empty: none"),
      optional_field<&T::input>("file that is the standard input of each run; empty: nothing").within(bounds::path_or_nothing).rare(),
      optional_field<&T::min_runs>("least number of runs of the reference; a verdict takes 8 or more").within(bounds::between(1, 1e6)),
      optional_field<&T::max_runs>("largest number of runs of the reference").within(bounds::between(1, 1e6)),
      optional_field<&T::tolerance>("difference up to which two are the same: of times").within(bounds::fraction),
      optional_field<&T::fail_above>("mark a command that is certainly slower than the reference by more than this fraction")
          .within(bounds::between(0, 1000))
          .option("fail_above",
                  "end with exit code 1 if anything is certainly slower by more than this, such as 5%: a command than the reference"),
      optional_field<&T::time_budget>("time budget: for the race; runs that are made by then are kept for the next call")
          .within(bounds::seconds),
      optional_field<&T::ignore_failure>("count runs that end with another exit code than 0").rare(),
      optional_field<&T::show_output>("show what programs write, on standard error").rare(),
      optional_field<&T::anonymous>("leave private names out: words of commands, names and files; commands become A, B and so on").rare(),
      optional_field<&T::restart>("begin anew where the same command was interrupted")};
}

template <>
Fields FieldTable<search::ReferenceRatio>::fields() {
  return {field<&T::verdict>("faster, slower or same as the reference, or unsure"),
          field<&T::ratio>("median of elapsed time over that of the reference in the same round").measured_in("", Best::small),
          field<&T::interval>("interval of the ratio; those of all commands hold with 95 % confidence together")};
}

template <>
Fields FieldTable<RacedCommand>::fields() {
  return {field<&T::name>("name or words of the command"),
          optional_field<&T::command>("words of the command").unless_empty(),
          field<&T::against_reference>("comparison of elapsed times; missing: the reference"),
          optional_field<&T::above_limit>("certainly slower than fail_above allows"),
          field<&T::elapsed>("median time from start to end").named("elapsed_seconds"),
          field<&T::elapsed_interval>("95 % interval of the median; the range with fewer than 6 runs").named("elapsed_seconds_interval"),
          field<&T::user>("median CPU time of the program itself").named("user_seconds"),
          field<&T::system>("median CPU time of the system for the program").named("system_seconds"),
          field<&T::resident_bytes>("median peak of resident memory; missing where flopcast itself has more").measured_in("B", Best::small),
          field<&T::runs>("runs that count"),
          optional_field<&T::failures>("runs that ended with another exit code than 0"),
          field<&T::outliers>("runs above the third quartile by more than three interquartile ranges")};
}

template <>
Fields FieldTable<CommandRace>::fields() {
  return {field<&T::commands>("in the order of the request"),
          field<&T::control>("the reference against itself, by additional runs"),
          field<&T::ending>("decided, budget (time or runs are used up) or interrupted"),
          field<&T::rounds>("rounds, in each of which every undecided command runs once"),
          optional_field<&T::resumed_runs>("runs that an earlier race made, which ended early"),
          field<&T::start_up>("elapsed time of a program that does nothing, which no time is reduced by").named("start_up_seconds"),
          field<&T::tolerance>("difference up to which commands are the same, as a fraction"),
          field<&T::fail_above>("largest allowed difference to the reference, as a fraction"),
          optional_field<&T::prepare>("command of the shell before each run").unless_empty(),
          optional_field<&T::input>("file that was the standard input of each run").unless_empty(),
          field<&T::cpu>("model of the CPU"),
          field<&T::remarks>("what made times unreliable, and outliers")};
}

std::string to_json(const CommandRace& race) { return to_document(race, race_document).dump(2); }
CommandRace command_race_from_json(std::string_view text) { return from_document<CommandRace>(text, "race", race_document); }

PublishedSchema race_schema() { return published<CommandRace>(race_document, "Commands raced against the first of them"); }

}  // namespace flopcast
