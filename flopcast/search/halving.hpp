#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "flopcast/search/evaluator.hpp"

namespace flopcast::search {

struct HalvingOptions {
  std::int64_t factor = 3;  ///< each rung keeps one in so many, and runs so many times the rounds of the rung before; 2 or 3 are usual
  std::int64_t first_rounds = 2;  ///< of the first rung
  std::uint64_t seed = 1;
  Limits limits;
};

/// Valid whenever the search stopped, but without any bound on its error.
struct HalvingResult {
  std::optional<std::size_t> leader;  ///< none if nothing was evaluated, or all was dropped
  std::vector<std::size_t>
      ranking;  ///< all that weren't dropped: what stayed longer first, then by median difference to the leader of that rung
  std::vector<std::size_t> dropped;  ///< whose cost wasn't a positive number
  Ending ending = Ending::budget;
  std::int64_t rounds = 0, evaluations = 0;
};

/// Successive halving (Karnin, Koren, Somekh 2013; Jamieson, Talwalkar 2016) in interleaved rounds: the quick alternative to race.
/// Throws bad_input for a factor below 2, no rounds, or candidates that Ledger refuses.
HalvingResult halving(std::vector<std::size_t> candidates, const Evaluator& evaluator, HalvingOptions options = {});

}  // namespace flopcast::search
