#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/baselines/exhaustive.hpp"

/// Comparisons of searches on the same space, as in Tables VIII to XI of Tørring et al. 2021.
namespace flopcast::bench {

/// Returns the techniques of Tørring et al. 2021, and "race" and "halving". The last two have one setting, the maximum time of a search, as
/// in "race:time=60s"; the leader at that time counts.
std::vector<std::string> study_techniques();
/// Returns whether the technique is race or halving.
bool searches_in_one_process(std::string_view technique);

/// One search.
struct StudyRun {
  std::string technique;
  std::size_t leader = 0;
  double rate = 0;  ///< rate of the leader as measured by the search; 0: unknown (halving)
  Seconds seconds = 0;
  std::int64_t evaluations = 0;
  bool decided = true;        ///< false: a search in one process ended because its time was used up
  std::vector<Trial> trials;  ///< for techniques of Tørring et al. 2021, in their order
};

/// All searches, and the rates of the configurations that they found.
struct Study {
  std::vector<StudyRun> runs;
  std::map<std::size_t, double> judged;  ///< rate by configuration: upper quartile of interleaved rounds over all judged configurations
};

/// Sources of costs (1 / rate).
struct StudyServices {
  Invocation invoke;                             ///< fresh processes, for the techniques of Tørring et al. 2021
  std::function<search::Evaluator()> evaluator;  ///< one process, for the race and for halving; made anew for every search
  std::function<Seconds()> clock;                ///< clock by which searches are charged
};

struct StudyOptions {
  std::vector<std::string> techniques = study_techniques();
  int trials = 1;  ///< number of searches with each technique
  double tolerance = 0.02, error_probability = 0.05;
  std::int64_t judging_rounds = 25;
  /// True: all configurations are judged in a long interleaved search; false: only those that the searches found.
  bool judge_space = false;
  std::uint64_t seed = 1;
};

/// Runs all searches over `count` configurations and judges their results. Throws usage_error for an unknown technique.
Study run_study(std::size_t count, const StudyServices& sources, const StudyOptions& options);

/// A row of the study's table.
struct StudyRow {
  std::string technique;
  int trials = 0;
  std::size_t leader = 0;  ///< leader of the median trial
  double found = 0;        ///< rate of the leader as the search measured it, as Tørring et al. 2021 show it
  double rate = 0;         ///< judged rate of the leader
  double of_best = 0;      ///< rate / the best rate that was judged, median over trials
  double success = 0;      ///< share of trials within `tolerance` of the best
  double decided = 0;      ///< share of trials that ended by themselves, not by their time
  Seconds seconds = 0;     ///< median over trials
  std::int64_t evaluations = 0;
  double speedup = 0;  ///< speed-up over the technique "Default"; 0 if that wasn't run
};
/// Returns a row for each technique, in the order of the options.
std::vector<StudyRow> summarise(const Study& study, const StudyOptions& options);

}  // namespace flopcast::bench
