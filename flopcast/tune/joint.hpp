#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "flopcast/tune/block_size.hpp"

namespace flopcast::tune {

/// One variant in one of several places (a library with a number of threads).
struct JointStanding {
  std::size_t place = 0;  ///< index of the decision
  Forecast best;
  double behind = 0;  ///< predicted time / the fastest's - 1
  bool tied = false;  ///< with the fastest
  friend bool operator==(const JointStanding& a, const JointStanding& b) = default;
};

/// The choice among everything that was predicted for one problem.
struct JointDecision {
  std::vector<JointStanding> ranking;  ///< every variant of every place at its own best block size, the fastest first
  double regret = 0;                   ///< at worst (95 %) the fastest takes this fraction longer than another one
  friend bool operator==(const JointDecision& a, const JointDecision& b) = default;
};

/// Joins the decisions that were made about one problem in several places. Models of different places have nothing in common, so
/// differences are as uncertain as the intervals of the two forecasts say; within a place its own decision tells what ties.
JointDecision join(std::span<const Decision> decisions, const BlockSizeOptions& options = {});

}  // namespace flopcast::tune
