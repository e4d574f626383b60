#pragma once

#include "flopcast/support/units.hpp"

namespace flopcast::model {

/// The estimate of a model for one call.
struct Estimate {
  Seconds seconds = 0;
  double relative_error = 0;  ///< one standard deviation, relative to seconds
  bool extrapolated = false;  ///< the call lies outside of the sampled domain
  friend bool operator==(const Estimate&, const Estimate&) = default;
};

}  // namespace flopcast::model
