#pragma once

#include <cstddef>
#include <vector>

#include "flopcast/search/ledger.hpp"

namespace flopcast::search {

/// Returns the candidate that seems best while no decision is certain: `reference`, or a candidate that costs less than `reference` in the
/// rounds that have both.
///
/// Candidates are compared by one of three statistics: the median of paired differences, the lower quartile of costs, or the smallest cost.
/// The statistic is chosen that changes least between even and odd rounds among the candidates of `alike`. Medians serve best if noise is
/// symmetric or all costs change together; smallest costs serve best if other programs slow down many evaluations. With few rounds the
/// smallest cost is compared, with few candidates the quartile.
std::size_t likely_best(const Ledger& ledger, const std::vector<std::size_t>& candidates, const std::vector<std::size_t>& alike,
                        std::size_t reference);

}  // namespace flopcast::search
