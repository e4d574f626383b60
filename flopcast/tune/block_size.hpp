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
#include "flopcast/tune/sampling.hpp"

/// Tunes block sizes and chooses among variants of a LAPACK routine from models on demand: no run of the routine itself.
namespace flopcast::tune {

/// One way to do a routine's work.
struct Alternative {
  std::string variant = {};  ///< name in the registry of algorithms; empty: the library's own routine
  algorithm::BlockParameters blocks;
  friend bool operator==(const Alternative&, const Alternative&) = default;
};

/// One problem: a call of the routine at its sizes (addresses and work sizes not given).
struct Problem {
  Call call;
  std::optional<Alternative> standard;    ///< what is used without tuning; nothing where nobody offers that
  std::vector<Alternative> alternatives;  ///< to choose from; the standard need not be among them
};

/// What the tuner needs from the outside; the command line passes the recorder and the cache tracker beside what sampling needs.
struct BlockSizeSources {
  std::function<Trace(const Call&, const Alternative&)> trace;
  std::function<std::vector<Placement>(const Trace&)> placements;
  SamplingSources sampling;
  /// Says what is going on now.
  std::function<void(const std::string&)> stage = [](const std::string&) {};
};

struct BlockSizeOptions {
  Seconds time_budget = 60;        ///< of measuring
  double coarse_target = 0.03;     ///< relative standard deviation of every total after the first round ...
  double target = 0.006;           ///< ... and, for the contenders, at the end
  double contender_margin = 0.04;  ///< totals within this of the best are worth knowing exactly
  double tie_margin = 0.005;       ///< differences below this are ties even if they were certain (below the machine's floor, measured.md)
  double method_error = 0.03;      ///< relative standard deviation of a total beyond its models', from process to process: docs/accuracy.md
  double variant_error = 0.01;  ///< the same of the difference between two variants, whose errors of method are not alike: docs/ranking.md
  double block_error = 0.01;    ///< of the difference between two block sizes of one variant that are a factor of 2 apart: docs/accuracy.md
  /// The standard stays where another block size gains no more than a tie, or may lose more than `tolerable_loss` against it: with this
  /// certainty tuning must not make a program slower.
  double tolerable_loss = 0.02;
  double certainty_of_change = 0.9;
  /// So many block sizes of each variant, evenly spread, are looked at first, then those around the best of them; 0: all at once.
  std::size_t coarse_blocks = 0;
  std::vector<std::int64_t> crossovers = {32, 64, 128, 192};  ///< candidates for nx, once good block sizes are known
  bool tune_crossover = true;
};

/// A predicted alternative.
struct Forecast {
  std::string variant;
  algorithm::BlockParameters blocks;
  Seconds seconds = 0;
  Interval interval;        ///< 95 %
  double extrapolated = 0;  ///< share of the time outside of what was sampled
  friend bool operator==(const Forecast& a, const Forecast& b) = default;
};

/// One variant in a ranking.
struct Standing {
  Forecast best;                         ///< at its own best block size
  std::size_t rank = 1;                  ///< 1 + the number of variants that are certainly faster; not less than that of any before it
  double behind = 0;                     ///< predicted time / the chosen one's - 1
  std::vector<std::int64_t> block_ties;  ///< its other block sizes that can't be told from its best
  std::vector<std::string> ties;         ///< other variants that can't be told from it, in the order of the ranking
  double regret = 0;                     ///< at worst (95 %) it takes this fraction longer than the best alternative of all
  friend bool operator==(const Standing& a, const Standing& b) = default;
};

/// The decision for one problem.
struct Decision {
  std::vector<std::int64_t> sizes;  ///< of the routine, without those that follow from others
  Forecast standard;                ///< without tuning; of no seconds if the problem has no standard
  Forecast chosen;
  std::vector<Forecast> forecasts;  ///< of every alternative, by variant and block size
  std::vector<Standing> ranking;    ///< of the variants, the fastest first; one if there is but one
  std::vector<std::int64_t> ties;   ///< other block sizes of the chosen variant that can't be told from the chosen one
  double gain = 0;                  ///< standard / chosen - 1
  double regret = 0;                ///< at worst (95 %) the chosen takes this fraction longer than the best alternative
  friend bool operator==(const Decision& a, const Decision& b) = default;
};

struct BlockSizeResult {
  std::vector<Decision> decisions;  ///< in the order of the problems
  SamplingCost cost;
  bool complete = true;  ///< false if interrupted or out of budget before the target was reached
};

/// Whether two forecasts are of the same alternative.
inline bool same_alternative(const Forecast& a, const Forecast& b) { return a.variant == b.variant && a.blocks == b.blocks; }

/// Records, samples on demand, predicts and decides. `models` may hold earlier samples, and holds all of them afterwards.
BlockSizeResult tune_block_size(std::span<const Problem> problems, const Environment& environment, model::OnDemandModels& models,
                                const BlockSizeSources& sources, const BlockSizeOptions& options);

}  // namespace flopcast::tune
