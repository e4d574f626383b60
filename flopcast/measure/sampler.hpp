#pragma once

#include <span>
#include <string>
#include <vector>

#include "flopcast/core/sample.hpp"
#include "flopcast/measure/precondition.hpp"
#include "flopcast/measure/session.hpp"

namespace flopcast::measure {

/// A call with the cache state it is to be sampled in.
struct SamplePoint {
  Call call;
  Precondition precondition;
  std::int64_t batch = 0;  ///< 0: chosen
};

/// Samples of all `points`, measured together in one shuffled run, every repetition kept; sample i belongs to point i and has no
/// repetitions if `progress` stopped the run before its turn.
std::vector<Sample> sample(Session& session, std::span<const SamplePoint> points, const Progress& progress = {});
/// The same for calls that share one precondition.
std::vector<Sample> sample(Session& session, std::span<const Call> calls, const Precondition& precondition, const Progress& progress = {});

/// The sample of timed call `call` in cache state `cache`, without repetitions.
Sample empty_sample(const Call& call, std::string cache, const Environment& environment);

/// What is doubtful about the times of a sample, and what to do about it: wide or two-peaked distributions.
std::vector<std::string> doubts(std::span<const Seconds> times);

}  // namespace flopcast::measure
