#pragma once

/// Tuning of algorithms and programs that flopcast doesn't know: their kernels are predicted, and their own code is timed.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/statistics.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/search/space.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {

/// Kernel calls that are made one after the other, and the time of everything else until the end.
struct CandidatePart {
  Trace trace;
  Seconds own_seconds = 0;
};

/// One of several ways to compute the same.
struct Candidate {
  std::string name;
  std::vector<CandidatePart> parts;  ///< parts that run at the same time, so that the longest one counts
  Seconds own_deviation = 0;         ///< standard deviation of own_seconds
};

/// A candidate's predicted time.
struct RankedCandidate {
  std::string name;
  Seconds seconds = 0;
  Interval interval;  ///< interval of single runs, confidence 95 %
  Seconds kernel_seconds = 0, own_seconds = 0;
  double behind = 0;              ///< seconds over those of the best candidate, minus 1
  bool tied = false;              ///< the best candidate isn't certainly faster
  double extrapolated_share = 0;  ///< share of the time outside of the sampled domain
  friend bool operator==(const RankedCandidate&, const RankedCandidate&) = default;
};

struct CandidateRanking {
  std::vector<RankedCandidate> candidates;  ///< in the given order
  std::size_t best = 0;                     ///< number of the fastest one
  double regret = 0;                        ///< upper bound (95 %) of its time over that of the fastest in truth, minus 1
};

/// Predicts all candidates with the libraries of `bench`, and measures kernels that the store lacks within the time budget, mostly those
/// that decide. Throws bad_input without candidates or parts, and Cancelled.
CandidateRanking rank_candidates(const Workbench& bench, std::vector<Candidate> candidates, Duration time_budget,
                                 const RunContext& context = {});

/// Configurations of a program that are executed, to find out whether its calls depend on results that a dry run skips.
enum class DryRunCheck : std::uint8_t { none, best, two };

/// A program with parameters to choose. The meaning of each member is in its line of the table (own_algorithm_json.cpp).
struct ProgramTuneRequest {
  std::vector<std::string> command;
  std::string space;
  std::vector<std::string> parameters;
  std::vector<std::string> conditions;
  std::vector<std::string> templates;
  std::optional<int> threads;
  Duration time_budget = 60;
  Duration timeout = 60;
  DryRunCheck check = DryRunCheck::best;
  bool race = false;
  bool anonymous = false;
};
template <>
Fields FieldTable<ProgramTuneRequest>::fields();

enum class ConfigurationVerdict : std::uint8_t {
  slower,
  chosen,
  tie,             ///< the chosen one isn't certainly faster
  failed,          ///< the program ended with an error
  not_considered,  ///< the time budget ended before
};

/// Returns the name of a verdict in documents and tables: "not considered".
std::string to_string(ConfigurationVerdict verdict);

/// The result for one setting of a program's parameters.
struct TunedConfiguration {
  search::Setting setting;
  ConfigurationVerdict verdict = ConfigurationVerdict::not_considered;
  std::optional<Seconds> predicted;  ///< elapsed time of the program; nothing for failed ones and those not considered
  std::optional<Interval> interval;  ///< interval of single runs, confidence 95 %
  Seconds kernel_seconds = 0;        ///< predicted time of BLAS and LAPACK
  Seconds own_seconds = 0;           ///< time of everything else, as the runs took it
  double behind = 0;                 ///< predicted time over that of the chosen one, minus 1
  double extrapolated_share = 0;     ///< share of the time outside of the sampled domain
  std::optional<Seconds> executed;   ///< elapsed time of a recorded run in which every call was executed
  std::string failure;               ///< why the program failed
  friend bool operator==(const TunedConfiguration&, const TunedConfiguration&) = default;
};

struct ProgramTuning {
  std::vector<std::string> command;                ///< with places such as {nb}; empty for ProgramTuneRequest::anonymous
  std::string place;                               ///< libraries, threads and kernels that the program has
  std::vector<TunedConfiguration> configurations;  ///< configurations by rising predicted time
  double regret = 0;                               ///< upper bound (95 %) of the chosen one's time over the best one's, minus 1
  bool calls_depend_on_results = false;            ///< dry runs make other calls, so that every configuration was executed
  std::int64_t dry_runs = 0, executions = 0;
  Seconds run_seconds = 0;  ///< time of all these runs
  Seconds all_seconds = 0;  ///< time of the whole tuning but the race
  std::optional<CommandRace> race;
  std::vector<std::string> remarks;
  friend bool operator==(const ProgramTuning&, const ProgramTuning&) = default;

  /// Returns the chosen configuration.
  [[nodiscard]] const TunedConfiguration& best() const { return configurations.front(); }
};

/// Runs the program dry for each setting of its parameters, predicts the kernels that were skipped, and chooses a setting. One setting is
/// executed as well. If its calls differ from those of the dry run, all are executed. Throws bad_input for a space that isn't one,
/// environment_error if the program doesn't exist, unusable_measurement if it fails for each setting, and Cancelled.
ProgramTuning tune_program(const Workbench& bench, const ProgramTuneRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-program-tuning-1", ...}.
std::string to_json(const ProgramTuning& tuning);
ProgramTuning program_tuning_from_json(std::string_view text);

}  // namespace flopcast
