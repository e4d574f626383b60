#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace flopcast::machine {

/// One point of a measured curve; both coordinates positive.
struct CurvePoint {
  double x = 0, y = 0;
  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

/// A rise of a curve from one plateau to the next.
struct Knee {
  double position = 0;  ///< largest x of the curve at which at least half of the cost's rise still lies ahead
  double low = 0,
         high = 0;  ///< from the 5 % quantile of resampled ends of the lower plateau to the 95 % quantile of where the next one begins
  double before = 0, after = 0;  ///< heights of the two plateaus
  friend bool operator==(const Knee&, const Knee&) = default;
};

/// Options of splitting a curve into plateaus.
struct KneeOptions {
  double noise_floor = 0.04;     ///< relative scatter below which differences mean nothing
  double smallest_step = 1.3;    ///< least ratio of plateaus that counts as a knee
  int shortest_plateau = 3;      ///< points
  double narrowest_plateau = 2;  ///< ratio of x from begin to end; the first and the last plateau may be cut off by the curve's ends
  double longest_rise = 8;       ///< ratio of x from the end of a plateau to the start of the next
  int resamples = 100;           ///< for the interval
  std::uint64_t seed = 1;        ///< seed of the resampling
};

/// Returns the knees of a rising curve, which is given by increasing x. In log-log coordinates the curve is taken as plateaus joined by
/// straight rises. Their number and places minimise the truncated squared residuals plus a penalty per plateau (Bayesian information
/// criterion), by dynamic programming over all pairs of ends. A wide rise means that the resource behind it is elastic: there is no size at
/// which it ends all at once. Throws bad_input if x doesn't increase or a coordinate isn't positive and finite.
std::vector<Knee> find_knees(std::span<const CurvePoint> curve, const KneeOptions& options = {});

}  // namespace flopcast::machine
