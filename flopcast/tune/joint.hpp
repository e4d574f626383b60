#pragma once

#include <cstddef>
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
  std::vector<JointRank> ranking;  ///< every variant of every place at its own best block size, the fastest first
  double regret = 0;               ///< upper bound (95 %) of time of the fastest / time of any other - 1
  friend bool operator==(const JointDecision& a, const JointDecision& b) = default;
};

/// Joins the decisions about one problem in several places. Models of different places share no errors, so that the uncertainty of a
/// difference follows from the intervals of the two forecasts. Ties within a place are taken from its own decision.
JointDecision join(std::span<const Decision> decisions, double tie_margin = default_tie_margin);

}  // namespace flopcast::tuning
