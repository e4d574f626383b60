#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "flopcast/search/evaluator.hpp"

namespace flopcast::bench {

struct HalvingOptions {
  std::int64_t factor =
      3;  ///< each rung keeps 1 / factor of the candidates and runs `factor` times the rounds of the rung before; usually 2 or 3
  std::int64_t first_rounds = 2;  ///< rounds of the first rung
  std::uint64_t seed = 1;
  search::Limits limits;
};

/// The result of halving(). It is valid whenever the search stopped, but its error has no bound.
struct HalvingResult {
  std::optional<std::size_t> leader;  ///< empty if nothing was evaluated or all were dropped
  std::vector<std::size_t>
      ranking;  ///< candidates that weren't dropped, by the rung that they reached, then by median difference to that rung's leader
  std::vector<std::size_t> dropped;  ///< candidates whose cost wasn't a positive number
  search::Ending ending = search::Ending::budget;
  std::int64_t rounds = 0, evaluations = 0;
};

/// Successive halving (Karnin, Koren, Somekh 2013; Jamieson, Talwalkar 2016) in interleaved rounds: the quick alternative to race().
/// Throws bad_input for a factor below 2, for no rounds, and for candidates that Ledger refuses.
HalvingResult halving(std::vector<std::size_t> candidates, const search::Evaluator& evaluator, HalvingOptions options = {});

}  // namespace flopcast::bench
