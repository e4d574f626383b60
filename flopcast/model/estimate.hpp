#pragma once

#include "flopcast/core/units.hpp"

namespace flopcast::model {

/// What a model says about one call.
struct Estimate {
  Seconds seconds = 0;
  double relative_error = 0;  ///< one standard deviation, relative to seconds
  bool extrapolated = false;  ///< outside of what was sampled
  friend bool operator==(const Estimate&, const Estimate&) = default;
};

}  // namespace flopcast::model
