#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "flopcast/core/kernel_model.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::model {

/// The times of a batch of points.
struct MeasuredBatch {
  std::vector<Seconds> seconds;  ///< one per point, in the order of the points
  Seconds spent = 0;             ///< time spent on measuring
};

/// Measures a batch of distinct points in any order. Returns nothing if it was interrupted. The source of the times is up to the caller:
/// the real sampler, a store, or a formula in a test.
using SampleSource = std::function<std::optional<MeasuredBatch>(std::span<const Sizes> points)>;

/// Returns a source that knows some times already and requests only the others from `source`. With this, an interrupted build continues.
SampleSource with_known(SampleSource source, std::map<Sizes, Seconds> known);

}  // namespace flopcast::model
