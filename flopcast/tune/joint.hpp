#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "flopcast/tune/block_size.hpp"

namespace flopcast::tuning {

/// One variant in one of several places (a library with a number of threads).
struct JointStanding {
  std::size_t place = 0;  ///< index of the decision
  Forecast best;
  double behind = 0;  ///< predicted time / predicted time of the fastest - 1
  bool tied = false;  ///< the variant ties with the fastest
  friend bool operator==(const JointStanding& a, const JointStanding& b) = default;
};

/// The decision among all places and variants for one problem.
struct JointDecision {
  std::vector<JointStanding> ranking;  ///< every variant of every place at its own best block size, the fastest first
  double regret = 0;                   ///< upper bound (95 %) of time of the fastest / time of any other - 1
  friend bool operator==(const JointDecision& a, const JointDecision& b) = default;
};

/// Joins the decisions about one problem in several places. Models of different places share no errors, so that the uncertainty of a
/// difference follows from the intervals of the two forecasts. Ties within a place are taken from its own decision.
JointDecision join(std::span<const Decision> decisions, const BlockSizeOptions& options = {});

}  // namespace flopcast::tuning
