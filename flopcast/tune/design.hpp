#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "flopcast/core/placement.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/tune/segment.hpp"

namespace flopcast::tune {

/// A trace to be predicted, with where its operands lie and how much its accuracy matters.
struct Subject {
  Trace trace;
  std::vector<Placement> placements;
  double weight = 1;
};

/// A segment worth measuring.
struct Pick {
  std::size_t subject = 0;
  Segment segment;
  Seconds cost = 0;  ///< of one repetition, expected
  /// By what is measured, not by what that costs.
  friend bool operator<(const Pick& a, const Pick& b) {
    return std::tie(a.subject, a.segment.begin, a.segment.end) < std::tie(b.subject, b.segment.begin, b.segment.end);
  }
};

struct DesignOptions {
  double target = 0.01;              ///< stop when every weighted subject's relative standard deviation is below
  Seconds budget = 5;                ///< or when the picks are expected to take so long
  double repetitions = 3;            ///< of every pick, on average; for cost
  double measurement_error = 0.005;  ///< assumed of one observation, relative
  double coarseness = 0.06;          ///< calls whose coordinates agree within this share of their length scales are one point of the design
  std::size_t most_points = 450;     ///< per kernel; coarseness grows until they suffice
  std::size_t most_picks = 400;
  /// Not to be chosen again: what one measurement of a stretch leaves uncertain, the state of the machine, another one doesn't tell either.
  const std::set<Pick>* measured = nullptr;
  /// Sets the subjects' weights, given the time expected of each.
  std::function<void(std::span<const Seconds> totals)> weigh;
};

/// Chooses what to measure next: greedily the segment that reduces the summed variance of those subjects' totals that aren't known to the
/// target most, per second of measuring (the variance of a Gaussian process does not depend on the values, so a whole batch is chosen before
/// any of it is measured).
std::vector<Pick> choose_segments(std::span<Subject> subjects, const model::OnDemandModels& models, const DesignOptions& options);

}  // namespace flopcast::tune
