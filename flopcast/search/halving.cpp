#include "flopcast/search/halving.hpp"

#include <algorithm>
#include <utility>

#include "flopcast/core/error.hpp"
#include "flopcast/search/ledger.hpp"

namespace flopcast::search {
namespace {

/// `candidates` by median of paired differences to the best of them, best first.
std::vector<std::size_t> rank(const Ledger& ledger, const std::vector<std::size_t>& candidates) {
  const std::vector<std::size_t> by_cost = ledger.ranking(candidates, std::nullopt);
  return by_cost.empty() ? by_cost : ledger.ranking(candidates, by_cost.front());
}

bool run_rung(Ledger& ledger, Meter& meter, const Evaluator& evaluator, std::int64_t rounds) {
  for (std::int64_t round = 0; round < rounds; ++round) {
    if (!ledger.round(evaluator, meter)) {
      return false;
    }
  }
  return true;
}

}  // namespace

HalvingResult halving(std::vector<std::size_t> candidates, const Evaluator& evaluator, HalvingOptions options) {
  if (options.factor < 2 || options.first_rounds < 1) {
    throw bad_input("successive halving: factor {} and {} first rounds given, expected at least 2 and 1", options.factor, options.first_rounds);
  }
  Ledger ledger(std::move(candidates), options.seed);
  Meter meter(options.limits);
  HalvingResult result;
  std::vector<std::size_t> left = all(ledger.rows().size()), out;
  std::int64_t rounds = options.first_rounds;
  bool complete = true;
  do {
    complete = run_rung(ledger, meter, evaluator, rounds);
    left = rank(ledger, left);
    if (complete) {
      const std::size_t keep = (left.size() + static_cast<std::size_t>(options.factor) - 1) / static_cast<std::size_t>(options.factor);
      out.insert(out.begin(), left.begin() + static_cast<std::ptrdiff_t>(keep), left.end());
      left.resize(keep);
      std::for_each(out.begin(), out.end(), [&ledger](std::size_t candidate) { ledger.set_active(candidate, false); });
      rounds *= options.factor;
    }
  } while (complete && left.size() > 1);

  left.insert(left.end(), out.begin(), out.end());
  const auto configuration = [&ledger](std::size_t candidate) { return ledger.rows()[candidate].configuration; };
  std::transform(left.begin(), left.end(), std::back_inserter(result.ranking), configuration);
  for (const Ledger::Row& row : ledger.rows()) {
    if (row.dropped()) {
      result.dropped.push_back(row.configuration);
    }
  }
  result.leader = left.empty() ? std::nullopt : std::optional(result.ranking.front());
  result.ending = !complete ? meter.ending() : left.empty() ? Ending::nothing_left : Ending::settled;
  result.rounds = ledger.rounds();
  result.evaluations = meter.evaluations();
  return result;
}

}  // namespace flopcast::search
