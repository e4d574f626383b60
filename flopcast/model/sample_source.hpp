#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "flopcast/core/units.hpp"
#include "flopcast/model/box.hpp"

namespace flopcast::model {

/// Times of a batch of points.
struct Measured {
  std::vector<Seconds> seconds;  ///< one per point, in the order of the points
  Seconds spent = 0;             ///< on measuring them
};

/// Measures a batch of points, all different, in whatever order suits it; nothing if it was interrupted. Where times come from is the
/// caller's business: the real sampler, a store, or a formula in a test.
using SampleSource = std::function<std::optional<Measured>(std::span<const Sizes> points)>;

/// A source that knows some times already and asks `source` only for the others: how an interrupted build goes on.
SampleSource with_known(SampleSource source, std::map<Sizes, Seconds> known);

}  // namespace flopcast::model
