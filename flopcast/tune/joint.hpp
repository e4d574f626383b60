#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/tune/decision.hpp"

namespace flopcast::tuning {

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
  std::vector<std::int64_t> sizes;  ///< as in Decision
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
