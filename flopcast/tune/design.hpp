#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "flopcast/core/sample.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/tune/segment.hpp"

namespace flopcast::tuning {

/// A trace to be predicted, the placements of its operands, and the weight of its accuracy.
struct Subject {
  Trace trace;
  std::vector<Placement> placements;
  double weight = 1;
};

/// A segment to measure.
struct Pick {
  std::size_t subject = 0;
  TimedSegment segment;
  Seconds cost = 0;  ///< expected time of one repetition
  /// Compares the segments, not their costs.
  friend bool operator<(const Pick& a, const Pick& b) {
    return std::tie(a.subject, a.segment.begin, a.segment.end) < std::tie(b.subject, b.segment.begin, b.segment.end);
  }
};

struct DesignOptions {
  double target = 0.01;              ///< the design ends when the relative standard deviation of every weighted subject is below this
  Seconds budget = 5;                ///< ... or when the picks are expected to take this long
  double repetitions = 3;            ///< expected repetitions of every pick, for its cost
  double measurement_error = 0.005;  ///< assumed relative error of one observation
  double coarseness = 0.06;          ///< calls whose coordinates agree within this share of the length scales form one point of the design
  std::size_t max_points = 450;      ///< maximum per kernel; coarseness grows until it is kept
  std::size_t max_picks = 400;
  /// Segments of which one repetition is expected to take longer are never chosen.
  Seconds max_cost = std::numeric_limits<Seconds>::infinity();
  /// Segments that are not chosen again: the uncertainty that a measurement leaves is the machine's state, which another one doesn't reduce.
  const std::set<Pick>* measured = nullptr;
  /// Sets the weights of the subjects, given their expected times.
  std::function<void(std::span<const Seconds> totals)> weigh;
};

/// Chooses the segments to measure next. Greedily, each one reduces the summed variance of the open subjects' totals most per second of
/// measuring; open subjects are those above the target. The variance of a Gaussian process does not depend on the values, so that a whole
/// batch is chosen before any of it is measured.
/// `leaves_long` is set to whether a segment wasn't chosen for its cost.
std::vector<Pick> choose_segments(std::span<Subject> subjects, const model::OnDemandModels& models, const DesignOptions& options,
                                  bool* leaves_long = nullptr);

}  // namespace flopcast::tuning
