#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/roofline/techniques.hpp"
#include "flopcast/search/evaluator.hpp"
#include "flopcast/search/exhaustive.hpp"
#include "flopcast/support/units.hpp"

/// Comparisons of searches on the same space, as in Tables VIII to XI of paper 003.
namespace flopcast::roofline {

/// One finished configuration of a search that measures one configuration after the other.
struct FinishedTrial {
  std::size_t configuration = 0;
  double rate = 0;  ///< its mean rate, 1 / cost
  friend bool operator==(const FinishedTrial&, const FinishedTrial&) = default;
};

/// One search and its progress.
struct StudyRun {
  std::string technique;
  int trial = 0;
  std::vector<FinishedTrial> finished;  ///< for techniques of paper 003, in their order
  std::size_t leader = 0;
  double rate = 0;  ///< rate of the leader as measured by the search; 0: unknown (halving)
  Seconds seconds = 0;
  std::int64_t evaluations = 0;
  bool settled = true;  ///< false: a search in one process ended because its time was used up
  bool complete = false;
  /// Returns true if the search has found something, finished or not.
  [[nodiscard]] bool has_leader() const noexcept { return evaluations > 0; }
  friend bool operator==(const StudyRun&, const StudyRun&) = default;
};

/// All searches of a study and, at its end, the rates of the configurations that they found. The state is stored, so that a study can be
/// interrupted.
struct StudyState {
  std::vector<StudyRun> runs;
  std::map<std::size_t, double> judged;  ///< rate by configuration: upper quartile of interleaved rounds over all judged configurations
  friend bool operator==(const StudyState&, const StudyState&) = default;
};
/// Throws bad_input if the state mentions a configuration beyond the first `count`.
void require_within(const StudyState& state, std::size_t count);

/// Sources of costs (1 / rate).
struct StudySources {
  search::Invocation invoke;                                 ///< fresh processes, for the techniques of paper 003
  std::function<search::Evaluator()> evaluator;              ///< one process, for the race and for halving; made anew for every search
  std::function<Seconds()> clock;                            ///< clock by which searches are charged
  std::function<bool()> interrupted;                         ///< ends the study early
  Seconds until = std::numeric_limits<Seconds>::infinity();  ///< end of the study, judging included, on `clock`
  std::function<void(const StudyState&)> keep;               ///< called after every configuration, or every search that can't be divided
};

struct StudyOptions {
  std::vector<std::string> techniques;  ///< techniques from study_techniques(), with optional settings
  int trials = 1;                       ///< number of searches with each technique
  std::optional<search::Order> order;   ///< order of the configurations in techniques of paper 003; empty: each technique's own
  double tolerance = 0.02, error_probability = 0.05;
  std::int64_t judging_rounds = 25;
  /// True: all configurations are judged in a long interleaved search; false: only those that the searches found.
  bool judge_space = false;
  std::uint64_t seed = 1;
};

/// Runs the searches that `state` lacks, trial by trial and the fastest technique first, over `count` configurations, and judges their
/// results. Returns false if the study was interrupted or its time was too short. In the second case the results so far are judged in fewer
/// rounds, which aren't kept. Throws usage_error for an unknown technique.
bool run_study(std::size_t count, const StudySources& sources, const StudyOptions& options, StudyState& state);

/// A row of the study's table.
struct StudyRow {
  std::string technique;
  int trials = 0;            ///< number of finished trials; 0: the row is that of an unfinished trial
  bool begun = true;         ///< false: there is no trial at all
  std::size_t finished = 0;  ///< finished configurations of the unfinished trial; 0 for a search in one process, which begins anew
  std::size_t leader = 0;    ///< leader of the median trial; the best so far of an unfinished one, if `found` or `rate` says so
  double found = 0;          ///< rate of the leader as the search measured it, which paper 003 shows
  double rate = 0;           ///< judged rate of the leader; 0: an interrupted study hasn't judged yet
  double of_best = 0;        ///< rate / the best rate that was judged, median over trials
  double success = 0;        ///< share of trials within `tolerance` of the best
  double settled = 0;        ///< share of trials that ended by themselves, not by their time
  Seconds seconds = 0;       ///< median over trials
  std::int64_t evaluations = 0;
  double speedup = 0;  ///< speed-up over the technique "Default"; 0 if that wasn't run
  friend bool operator==(const StudyRow&, const StudyRow&) = default;
};
/// Returns a row for each technique, in the order of the options.
std::vector<StudyRow> summarise(const StudyState& state, const StudyOptions& options);

}  // namespace flopcast::roofline
