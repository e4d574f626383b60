#pragma once

#include <cstddef>
#include <vector>

#include "flopcast/search/ledger.hpp"

namespace flopcast::search {

/// The one of `candidates` that is the best by what is known, while nothing certain is: `reference`, or one that costs less than it in the
/// rounds that both were in.
///
/// What is compared is the median of paired differences, or the lower quartile of costs, or the least cost, whichever tells most: that which
/// changes least between even and odd rounds among candidates that are `alike`. Medians serve best where noise goes either way or all costs
/// change together, least costs where other programs slow down much of what is evaluated. Of few rounds the least cost is taken, of few
/// candidates the quartile.
std::size_t likely_best(const Ledger& ledger, const std::vector<std::size_t>& candidates, const std::vector<std::size_t>& alike,
                        std::size_t reference);

}  // namespace flopcast::search
