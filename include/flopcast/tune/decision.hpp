#pragma once

/// Results of tuning: what was predicted, decided and measured.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::tuning {

/// Smaller relative differences are ties even if they are certain: they lie below the noise floor of the machine.
inline constexpr double default_tie_margin = 0.005;

/// One way to compute a routine's result.
struct Alternative {
  std::string variant = {};  ///< name in the registry of algorithms; empty: the library's own routine
  algorithm::BlockParameters blocks;
  friend bool operator==(const Alternative&, const Alternative&) = default;
};

/// A predicted alternative. Its time is the wall time that an unmodified program would measure on this machine in its usual state
/// (docs/explanation/prediction.md).
struct Forecast {
  std::string variant;
  algorithm::BlockParameters blocks;
  Seconds seconds = 0;
  Interval interval;        ///< 95 %
  double extrapolated = 0;  ///< share of the time that lies outside of the sampled range
  friend bool operator==(const Forecast&, const Forecast&) = default;
};

/// Returns whether two forecasts belong to the same alternative.
inline bool same_alternative(const Forecast& a, const Forecast& b) { return a.variant == b.variant && a.blocks == b.blocks; }

/// The predicted time of a driver on matrices with one spectrum.
struct SpectrumTime {
  std::string spectrum;
  Seconds seconds = 0;
  Interval interval;        ///< 95 %
  double extrapolated = 0;  ///< share of the time that lies outside of the sampled range
  friend bool operator==(const SpectrumTime&, const SpectrumTime&) = default;
};

/// One variant in a ranking.
struct VariantRank {
  Forecast best;                         ///< forecast at its own best block size
  std::size_t rank = 1;                  ///< 1 + the number of variants that are certainly faster; never decreases along the ranking
  double behind = 0;                     ///< predicted time / predicted time of the chosen variant - 1
  std::vector<std::int64_t> block_ties;  ///< its other block sizes that tie with its best one
  std::vector<std::string> ties;         ///< other variants that tie with it, in the order of the ranking
  double regret = 0;                     ///< upper bound (95 %) of time / time of the best alternative - 1
  std::int64_t resident_bytes = 0;       ///< peak of resident memory: operands, results and work space; 0: not known
  std::vector<SpectrumTime> spectra;     ///< times of a driver, that of the ranking first
  friend bool operator==(const VariantRank&, const VariantRank&) = default;
};

/// One alternative that was really run.
struct Measured {
  std::string variant;
  algorithm::BlockParameters blocks;
  std::vector<Seconds> times;       ///< drift-normalised times of the undisturbed runs
  std::vector<Seconds> wall_times;  ///< raw times of all runs
  Seconds median = 0;               ///< median of `wall_times`, by which alternatives are compared
  double error = 0;                 ///< predicted / median of `wall_times` - 1
  double normalised_error = 0;      ///< predicted / median of `times` - 1
  std::size_t within = 0;           ///< number of `wall_times` in the predicted interval
  friend bool operator==(const Measured&, const Measured&) = default;
};

/// An anomaly of the runs of one alternative: a factorisation that gave up, results that aren't finite, other programs.
struct RunWarning {
  std::string run;  ///< such as "500 library, nb 64": order, variant, block size
  std::string text;
  friend bool operator==(const RunWarning&, const RunWarning&) = default;
};

/// Agreement of a ranking's order with the measured times.
struct OrderCheck {
  std::size_t pairs = 0;  ///< number of pairs of variants whose measured medians differ by more than a margin
  std::size_t right = 0;  ///< of these, the pairs that were predicted in this order
  friend bool operator==(const OrderCheck&, const OrderCheck&) = default;
};

/// Result of the validation of one problem: its alternatives were run.
struct Check {
  bool complete = true;            ///< every alternative that was to be run has a time
  std::vector<Measured> measured;  ///< the alternatives that were run, in the order of the decision's forecasts
  Seconds default_seconds = 0, chosen_seconds = 0, best_seconds = 0;  ///< medians; 0: not run
  Alternative best;                                                   ///< the fastest one that was run
  double yield =
      0;  ///< best / chosen: share of the best speed that the choice reaches; 1 is perfect (the yield of Peise and Bientinesi 2014)
  double regret = 0;         ///< chosen / best - 1: 0 is perfect
  double repeatability = 0;  ///< median over alternatives of |first half / second half - 1|: how far two measurements of one run differ
  OrderCheck order;          ///< check of the ranking
  std::vector<RunWarning> warnings;
  friend bool operator==(const Check&, const Check&) = default;
};

/// The decision for one problem.
struct Decision {
  std::vector<std::int64_t> sizes;  ///< sizes of the routine, without those that are derived from others
  double flops = 0;                 ///< operations of the routine
  Forecast default_;                ///< forecast without tuning; 0 seconds if the problem has no default
  Forecast chosen;
  std::vector<Forecast> forecasts;   ///< forecasts of every alternative, by variant and block size
  std::vector<VariantRank> ranking;  ///< ranking of the variants, the fastest first
  std::vector<std::int64_t> ties;    ///< other block sizes of the chosen variant that tie with the chosen one
  double gain = 0;                   ///< time of the default / time of the chosen alternative - 1
  /// Upper bound (95 %) of time of the chosen / time of the best alternative - 1, over all candidates: those that weren't considered, too.
  double regret = 0;
  std::size_t candidates = 0;       ///< number of pairs of a variant and a block size that were asked for, with the default; 0: not known
  std::size_t considered = 0;       ///< of these, the pairs that were predicted
  std::size_t samples = 0;          ///< measured calls that the predictions rest on, with those of earlier runs; 0: not known
  std::optional<Check> validation;  ///< if the alternatives were run
  friend bool operator==(const Decision&, const Decision&) = default;
};

/// Returns whether the chosen alternative may lose over 10 % (95 %): too much to replace LAPACK's own block size by it.
bool is_undecided(const Decision& decision);

/// "7 of 24"; empty if the number isn't known.
std::string considered_text(const Decision& decision);

/// Returns whether LAPACK's own block size was faster than the chosen one when both were run, by more than two measurements of a run differ.
bool is_refuted(const Decision& decision);

/// Returns the forecast of what a program is to run with: the chosen alternative, or LAPACK's own where that is undecided or refuted.
const Forecast& effective_forecast(const Decision& decision);

/// The cost of sampling.
struct SamplingCost {
  std::size_t segments = 0;  ///< number of measured segments
  std::size_t timings = 0;   ///< repetitions of timed calls
  Seconds measuring = 0;
  friend bool operator==(const SamplingCost&, const SamplingCost&) = default;
};

struct BlockSizeResult {
  std::vector<Decision> decisions;  ///< in the order of the problems; none if it was interrupted
  SamplingCost cost;
  bool complete = true;  ///< false if sampling was interrupted or the budget ended before the target was reached
  friend bool operator==(const BlockSizeResult&, const BlockSizeResult&) = default;
};

/// Alternatives of a decision that a validation runs.
enum class Extent : std::uint8_t {
  all,  ///< every forecast
  /// Each variant at its best block size, and the default. Variants that are predicted to take seconds, and so much longer than the chosen
  /// one that their rank is beyond doubt, are skipped.
  ranking,
};

/// One variant in one of several places (a library with a number of threads).
struct JointRank {
  std::size_t place = 0;  ///< index of the decision
  Forecast best;
  double behind = 0;  ///< predicted time / predicted time of the fastest - 1
  bool tied = false;  ///< the variant ties with the fastest
  friend bool operator==(const JointRank& a, const JointRank& b) = default;
};

/// The decision among all places and variants for one problem.
struct JointDecision {
  std::vector<std::int64_t> sizes;  ///< see Decision
  std::vector<JointRank> ranking;   ///< every variant of every place at its own best block size, the fastest first
  double regret = 0;                ///< upper bound (95 %) of time of the fastest / time of any other - 1
  friend bool operator==(const JointDecision& a, const JointDecision& b) = default;
};

/// Joins the decisions about one problem in several places. Models of different places share no errors, so that the uncertainty of a
/// difference follows from the intervals of the two forecasts. Ties within a place are taken from its own decision.
JointDecision join(std::span<const Decision> decisions, double tie_margin = default_tie_margin);

/// Times that were measured for one problem: of the alternative that the joint decision chose, and of the fastest one in any place.
struct MeasuredJoint {
  Seconds chosen = 0, best = 0;  ///< 0: not run
};
MeasuredJoint measured_joint(const JointRank& chosen, std::span<const Decision> decisions);

}  // namespace flopcast::tuning
