#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/measure/experiment.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/predict/predicted_interval.hpp"
#include "flopcast/tune/sampling.hpp"

/// Tunes block sizes and chooses among variants of a LAPACK routine by models on demand, without running the routine itself.
namespace flopcast::tuning {

/// One way to compute a routine's result.
struct Alternative {
  std::string variant = {};  ///< name in the registry of algorithms; empty: the library's own routine
  algorithm::BlockParameters blocks;
  friend bool operator==(const Alternative&, const Alternative&) = default;
};

/// One problem: a call of the routine at its sizes (addresses and work sizes not given).
struct Problem {
  Call call;
  std::optional<Alternative> standard;    ///< the alternative that runs without tuning; empty if there is none
  std::vector<Alternative> alternatives;  ///< candidates; the standard need not be among them
};

/// Functions that the tuner needs. The command line passes the recorder and the cache tracker beside the functions for sampling.
struct BlockSizeSources {
  std::function<Trace(const Call&, const Alternative&)> trace;
  std::function<std::vector<Placement>(const Trace&)> placements;
  SamplingSources sampling;
  /// Reports the current step.
  std::function<void(const std::string&)> stage = [](const std::string&) {};
};

struct BlockSizeOptions {
  Seconds time_budget = 60;        ///< measured by sources.elapsed, for recording, measuring, fitting and deciding
  double coarse_target = 0.03;     ///< relative standard deviation of every total after the first round ...
  double target = 0.006;           ///< ... and of the contenders at the end
  double contender_margin = 0.04;  ///< totals within this fraction of the best are predicted with the final precision
  double tie_margin = 0.005;       ///< smaller differences are ties even if they are certain; below the noise floor of the machine
  double method_error = prediction::default_method_error;  ///< relative standard deviation of a total beyond that of its models
  double variant_error = 0.01;  ///< ... of the difference between two variants, whose errors differ: docs/ranking.md
  double block_error = 0.01;    ///< ... of the difference between two block sizes of one variant, a factor of 2 apart: docs/accuracy.md
  /// The standard is kept if another block size gains no more than a tie or may lose more than `tolerable_loss` against it. With this certainty
  /// tuning must not make a program slower.
  double tolerable_loss = 0.02;
  double certainty_of_change = 0.9;
  /// Number of evenly spread block sizes of each variant that are sampled first, before those around the best of them; 0: all at once.
  std::size_t coarse_blocks = 0;
  std::vector<std::int64_t> crossovers = {32, 64, 128, 192};  ///< candidates for nx, considered once good block sizes are known
  bool tune_crossover = true;
};

/// A predicted alternative.
struct Forecast {
  std::string variant;
  algorithm::BlockParameters blocks;
  Seconds seconds = 0;
  Interval interval;        ///< 95 %
  double extrapolated = 0;  ///< share of the time that lies outside of the sampled range
  friend bool operator==(const Forecast& a, const Forecast& b) = default;
};

/// One variant in a ranking.
struct Standing {
  Forecast best;                         ///< forecast at its own best block size
  std::size_t rank = 1;                  ///< 1 + the number of variants that are certainly faster; never decreases along the ranking
  double behind = 0;                     ///< predicted time / predicted time of the chosen variant - 1
  std::vector<std::int64_t> block_ties;  ///< its other block sizes that tie with its best one
  std::vector<std::string> ties;         ///< other variants that tie with it, in the order of the ranking
  double regret = 0;                     ///< upper bound (95 %) of time / time of the best alternative - 1
  friend bool operator==(const Standing& a, const Standing& b) = default;
};

/// The decision for one problem.
struct Decision {
  std::vector<std::int64_t> sizes;  ///< sizes of the routine, without those that are derived from others
  Forecast standard;                ///< forecast without tuning; 0 seconds if the problem has no standard
  Forecast chosen;
  std::vector<Forecast> forecasts;  ///< forecasts of every alternative, by variant and block size
  std::vector<Standing> ranking;    ///< ranking of the variants, the fastest first
  std::vector<std::int64_t> ties;   ///< other block sizes of the chosen variant that tie with the chosen one
  double gain = 0;                  ///< time of the standard / time of the chosen alternative - 1
  double regret = 0;                ///< upper bound (95 %) of time of the chosen / time of the best alternative - 1
  friend bool operator==(const Decision& a, const Decision& b) = default;
};

struct BlockSizeResult {
  std::vector<Decision> decisions;  ///< in the order of the problems; none if it was interrupted
  SamplingCost cost;
  bool complete = true;  ///< false if sampling was interrupted or the budget ended before the target was reached
};

/// Returns whether two forecasts belong to the same alternative.
inline bool same_alternative(const Forecast& a, const Forecast& b) { return a.variant == b.variant && a.blocks == b.blocks; }

/// Records, samples on demand, predicts and decides. `models` may hold earlier samples; afterwards it holds all samples.
BlockSizeResult tune_block_size(std::span<const Problem> problems, const Environment& environment, model::OnDemandModels& models,
                                const BlockSizeSources& sources, const BlockSizeOptions& options);

}  // namespace flopcast::tuning
