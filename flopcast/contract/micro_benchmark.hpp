#pragma once

#include <memory>
#include <string>
#include <vector>

#include "flopcast/contract/algorithm.hpp"
#include "flopcast/contract/execute.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/measure/cache_control.hpp"
#include "flopcast/measure/experiment.hpp"

namespace flopcast::contract {

/// How much of an algorithm's cache behaviour its micro-benchmarks recreate: each stage of paper 002 with all before it; and our own.
enum class Stage : std::uint8_t {
  repeated,          ///< 3.1: the kernel again and again on the same operands
  distance,          ///< 3.2: operands were last accessed as long ago as in the algorithm
  prefetching,       ///< 3.3: what lies next in memory has been prefetched
  failures,          ///< 3.4: but not the next line
  first_iterations,  ///< 3.5: a loop's first iteration finds another cache
  stretches,         ///< not in the paper: consecutive calls together, at their own distances in memory
};

/// Reads "repeated", "distance", "prefetching", "failures", "first" or "stretches"; throws bad_input otherwise.
Stage parse_stage(std::string_view text);

struct BenchmarkOptions {
  Stage stage = Stage::stretches;
  double capacity_factor = 1.25;      ///< setup lists end at this many times the largest cache (section 3.2)
  double first_share = 0.01;          ///< first iterations of outer loops count from this share of all calls on (section 3.5)
  std::int64_t prefetched_lines = 1;  ///< of each run of a prefetched operand (section 3.3); a CPU that follows streams further has more
  int threads = 1;                    ///< of the BLAS
  std::int64_t most_columns = 32;     ///< of a copy are timed; the others take as long
  std::int64_t repetitions = 10;      ///< of stretches, about (section 3.1)
  FindRoutine find;                   ///< routines for stretches, which execute parts of the algorithm
  std::shared_ptr<measure::Sweeper> sweeper = {};  ///< of all stretches; without it each has one of its own
};

/// An experiment and its name: equal for experiments that are the same.
struct NamedExperiment {
  std::string key;
  measure::Experiment experiment;
};

/// One call, or one copy, in one of the cache states in which the algorithm makes it.
struct MicroBenchmark {
  std::string what;  ///< "kernel", "kernel, new line", "kernel, first of c", "copy of A", ...
  double calls = 0;  ///< how often the algorithm does what is timed
  double scale = 1;  ///< the sum of the timed calls' times, multiplied by this, is the time of one
  measure::Experiment experiment;
  bool alike = false;  ///< the timed calls are repetitions of one another, and each of them is what is counted
  std::string key;     ///< equal for experiments that are the same; algorithms share them
  /// Of calls so short that standing alone between two readings of the clock makes them slower, as they can't overlap with their neighbours
  /// as in a loop: the warm call alone, and many of it together. What they differ by is subtracted from every timed call. Empty or two.
  std::vector<NamedExperiment> isolation;
};

/// The micro-benchmarks of one algorithm; the sum of calls x time predicts it. Line size and capacity are those of `environment`.
std::vector<MicroBenchmark> micro_benchmarks(const Algorithm& algorithm, const Contraction& contraction, const Environment& environment,
                                             const BenchmarkOptions& options = {});

}  // namespace flopcast::contract
