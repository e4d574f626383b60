#pragma once

#include <span>
#include <string>
#include <vector>

#include "flopcast/core/sample.hpp"
#include "flopcast/measure/precondition.hpp"
#include "flopcast/measure/session.hpp"

namespace flopcast::measure {

/// A call and the cache state in which it is sampled.
struct SamplePoint {
  Call call;
  Precondition precondition;
  std::int64_t batch = 0;  ///< 0: chosen automatically
};

/// Returns samples of all `points`, measured together in one shuffled run, with every repetition kept. Sample i belongs to point i; it has
/// no repetitions if `progress` stopped the run before its turn.
std::vector<Sample> sample(Session& session, std::span<const SamplePoint> points, const Progress& progress = {});
/// Samples calls that share one precondition.
std::vector<Sample> sample(Session& session, std::span<const Call> calls, const Precondition& precondition, const Progress& progress = {});

/// Returns the sample of the call `call` in cache state `cache`, without repetitions.
Sample empty_sample(const Call& call, std::string cache, const Environment& environment);

/// Returns doubts about the times of a sample, with remedies: wide or two-peaked distributions.
std::vector<std::string> doubts(std::span<const Seconds> times);

}  // namespace flopcast::measure
