#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/core/units.hpp"
#include "flopcast/search/evaluator.hpp"
#include "flopcast/search/exhaustive.hpp"

/// Comparing ways of searching on the same space, as Tables VIII to XI of paper 003 do.
namespace flopcast::roofline {

/// One configuration of a one-after-the-other search that is finished.
struct FinishedTrial {
  std::size_t configuration = 0;
  double rate = 0;  ///< its mean, 1 / cost
  friend bool operator==(const FinishedTrial&, const FinishedTrial&) = default;
};

/// One search, as far as it has come.
struct StudyRun {
  std::string technique;
  int trial = 0;
  std::vector<FinishedTrial> finished;  ///< of the techniques of paper 003, in their order
  std::size_t leader = 0;
  double rate = 0;  ///< of the leader, as the search measured it; 0: not known (halving)
  Seconds seconds = 0;
  std::int64_t evaluations = 0;
  bool settled = true;  ///< false: a search in one process had used up its time
  bool complete = false;
  friend bool operator==(const StudyRun&, const StudyRun&) = default;
};

/// All searches of a study and, at its end, the rates of what they found: this is what is kept so that a study can be interrupted.
struct StudyState {
  std::vector<StudyRun> runs;
  std::map<std::size_t, double> judged;  ///< rate by configuration: upper quartile of interleaved rounds over everything that is judged
  friend bool operator==(const StudyState&, const StudyState&) = default;
};
void to_json(nlohmann::json& json, const StudyState& state);
/// Throws bad_input if `json` is none.
void from_json(const nlohmann::json& json, StudyState& state);

/// Where costs (1 / rate) come from.
struct StudySources {
  search::Invocation invoke;                     ///< fresh processes, for the techniques of paper 003
  std::function<search::Evaluator()> evaluator;  ///< one process, for the race and for halving; made anew for every search
  std::function<Seconds()> clock;                ///< what searches are charged by
  std::function<bool()> interrupted;             ///< ends the study early
  std::function<void(const StudyState&)> keep;   ///< after every configuration, or every search that can't be cut in two
};

struct StudyOptions {
  std::vector<std::string> techniques;  ///< of study_techniques(), with settings behind them if wanted
  int trials = 1;                       ///< of each technique
  std::optional<search::Order> order;   ///< in which the techniques of paper 003 take the configurations; none: each its own
  double tolerance = 0.02, error_probability = 0.05;
  std::int64_t judging_rounds = 25;
  bool judge_space = false;  ///< all configurations are judged: a long interleaved search; otherwise what the searches found
  std::uint64_t seed = 1;
};

/// The techniques of paper 003, and "race" and "halving".
std::vector<std::string> study_techniques();
/// What stands before the settings.
std::string_view search_name(std::string_view technique);
/// race and halving; their one setting is the time that a search may take: "race:time=60s". What it has found by then counts.
bool searches_in_one_process(std::string_view technique);
/// Throws usage_error if `text` is none of study_techniques(), and as search::technique does for its settings.
void require_technique(std::string_view text);

/// Runs what `state` lacks, trial by trial, over `count` configurations; false if it was interrupted. Throws usage_error for an unknown
/// technique.
bool run_study(std::size_t count, const StudySources& sources, const StudyOptions& options, StudyState& state);

/// A line of the study's table.
struct StudyRow {
  std::string technique;
  int trials = 0;
  std::size_t leader = 0;  ///< of the median trial
  double found = 0;        ///< its rate, as the search measured it: what paper 003 shows
  double rate = 0;         ///< judged; 0: an interrupted study hasn't judged yet
  double of_best = 0;      ///< rate / the best rate that was judged, median over trials
  double success = 0;      ///< share of trials within `tolerance` of the best
  double settled = 0;      ///< share of trials that ended by themselves, not by their time
  Seconds seconds = 0;     ///< median over trials
  std::int64_t evaluations = 0;
  double speedup = 0;  ///< over the technique "Default"; 0 if that wasn't run
};
std::vector<StudyRow> summarise(const StudyState& state, const StudyOptions& options);

}  // namespace flopcast::roofline
