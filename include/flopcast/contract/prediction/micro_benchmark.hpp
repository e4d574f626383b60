#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/contract/algorithms/syntax_tree.hpp"
#include "flopcast/contract/prediction/predicted_time.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/measure/cache_control.hpp"
#include "flopcast/measure/experiment.hpp"

namespace flopcast::contract {

/// An algorithm for a contraction on a machine, and what follows from them for every prediction. The three must outlive the context.
struct AlgorithmContext {
  AlgorithmContext(const Algorithm& for_algorithm, const Contraction& of_contraction, const Environment& on_environment);

  const Algorithm& algorithm;
  const Contraction& contraction;
  const Environment& environment;
  Node tree;                      ///< the algorithm's loops, copies and kernel call
  std::vector<std::size_t> path;  ///< position of the kernel call in `tree`
  std::int64_t line_bytes = 64;   ///< bytes of a line of the innermost cache; 64 without measured caches
};

struct BenchmarkOptions {
  Stage stage = Stage::segments;
  double capacity_factor = 1.25;  ///< setup lists are as long as the largest cache times this factor (section 3.2)
  double first_share = 0.01;      ///< smallest share of all calls from which first iterations of outer loops count (section 3.5)
  /// lines of each run of a prefetched operand (section 3.3); more for CPUs that follow streams further
  std::int64_t prefetched_lines = 1;
  int threads = 1;                                 ///< threads of the BLAS
  std::int64_t max_columns = 32;                   ///< largest number of a copy's columns that are timed; the others take as long
  std::int64_t repetitions = 10;                   ///< approximate repetitions of segments (section 3.1)
  FindRoutine find;                                ///< BLAS routines for segments, which execute parts of the algorithm
  std::shared_ptr<measure::Sweeper> sweeper = {};  ///< shared by all segments; if null, each segment has its own
};

/// An experiment and its key, which is equal for equal experiments.
struct NamedExperiment {
  std::string key;
  measure::Experiment experiment;
};

/// One kernel call or one copy, in one of the cache states in which the algorithm makes it.
struct MicroBenchmark {
  std::string what;  ///< "kernel", "kernel, new line", "kernel, first of c", "copy of A", ...
  double calls = 0;  ///< number of times that the algorithm does the timed work
  double scale = 1;  ///< factor from the sum of the timed calls' times to the time of one
  measure::Experiment experiment;
  bool alike = false;  ///< the timed calls are repetitions of one another, and each is counted by itself
  std::string key;     ///< equal for equal experiments, which algorithms share
  /// Two further experiments for short calls, or none: the warm call alone, and many warm calls together. A short call is slower alone
  /// between two readings of the clock than in a loop, where it overlaps with its neighbours. The difference between the two experiments is
  /// subtracted from every timed call.
  std::vector<NamedExperiment> isolation;
};

/// Returns the micro-benchmarks of one algorithm; the sum of their calls x scale x time predicts its time. The line size and the capacity
/// are those of `environment`.
std::vector<MicroBenchmark> micro_benchmarks(const Algorithm& algorithm, const Contraction& contraction, const Environment& environment,
                                             const BenchmarkOptions& options = {});

}  // namespace flopcast::contract
