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
#include "flopcast/core/trace.hpp"
#include "flopcast/measure/experiment.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/predict/predicted_interval.hpp"
#include "flopcast/tune/decision.hpp"
#include "flopcast/tune/sampling.hpp"

/// Tunes block sizes and chooses among variants of a LAPACK routine by models on demand, without running the routine itself.
namespace flopcast::tuning {

/// One problem: a call of the routine at its sizes (addresses and work sizes not given).
struct Problem {
  Call call;
  std::optional<Alternative> default_;    ///< the alternative that runs without tuning; empty if there is none
  std::vector<Alternative> alternatives;  ///< candidates; the default need not be among them
};

/// Functions that the tuner needs. The command line passes the recorder and the cache tracker beside the functions for sampling.
struct BlockSizeServices {
  std::function<Trace(const Call&, const Alternative&)> trace;
  std::function<std::vector<Placement>(const Trace&)> placements;
  SamplingServices sampling;
};

struct BlockSizeOptions {
  Seconds time_budget = 60;  ///< measured by services.elapsed, for recording, measuring, fitting and deciding; 0: decide without measuring
  double coarse_target = 0.03;             ///< relative standard deviation of every total after the first round ...
  double target = 0.01;                    ///< ... and of the contenders at the end
  double contender_margin = 0.04;          ///< totals within this fraction of the best are predicted with the final precision
  double tie_margin = default_tie_margin;  ///< relative; smaller differences are ties
  double method_error = prediction::default_method_error;  ///< relative standard deviation of a total beyond that of its models
  double variant_error = 0.01;     ///< ... of the difference between two variants, whose errors differ: docs/explanation/tuning.md
  double block_error = 0.02;       ///< ... of the difference between two block sizes of one variant, times the square root of their octaves
  Seconds call_error = 1e-7;       ///< ... of the time of a call, which alternatives of other numbers of calls don't share
  double crossover_error = 0.007;  ///< ... of the difference between two crossovers, an octave or more apart
  /// The default is kept if another block size gains no more than a tie or may lose more than `tolerable_loss` against it. With this certainty
  /// tuning must not make a program slower.
  double tolerable_loss = 0.02;
  double certainty_of_change = 0.9;
  /// Number of evenly spread block sizes of each variant that are sampled first, before those around the best of them; 0: all at once.
  std::size_t coarse_blocks = 0;
  std::vector<std::int64_t> crossovers = {32, 64, 128, 192};  ///< candidates for nx, considered once good block sizes are known
  bool tune_crossover = true;
};

/// Records, samples on demand, predicts and decides. `models` may hold earlier samples; afterwards it holds all samples.
BlockSizeResult tune_block_size(std::span<const Problem> problems, const Environment& environment, model::OnDemandModels& models,
                                const BlockSizeServices& services, const BlockSizeOptions& options);

}  // namespace flopcast::tuning
