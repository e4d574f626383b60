#include "bench/baselines/halving.hpp"

#include <algorithm>
#include <utility>

#include "flopcast/search/ledger.hpp"
#include "flopcast/support/division.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::bench {
namespace {

using namespace search;

/// Returns `candidates` sorted by the median of their paired differences to the best of them, best first.
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

/// Cuts `left` down to 1 / `factor` of its length; returns the removed candidates.
std::vector<std::size_t> cut(std::vector<std::size_t>& left, std::size_t factor) {
  const auto keep = static_cast<std::ptrdiff_t>(ceil_div(left.size(), factor));
  std::vector<std::size_t> others(left.begin() + keep, left.end());
  left.erase(left.begin() + keep, left.end());
  return others;
}

HalvingResult summarise(const Ledger& ledger, const Meter& meter, const std::vector<std::size_t>& order, bool complete) {
  HalvingResult result;
  for (const std::size_t candidate : order) {
    result.ranking.push_back(ledger.rows()[candidate].configuration);
  }
  for (const Ledger::Row& row : ledger.rows()) {
    if (row.dropped()) {
      result.dropped.push_back(row.configuration);
    }
  }
  result.leader = order.empty() ? std::nullopt : std::optional(result.ranking.front());
  result.ending = !complete ? meter.ending() : order.empty() ? Ending::nothing_left : Ending::decided;
  result.rounds = ledger.rounds();
  result.evaluations = meter.evaluations();
  return result;
}

}  // namespace

HalvingResult halving(std::vector<std::size_t> candidates, const Evaluator& evaluator, HalvingOptions options) {
  if (options.factor < 2 || options.first_rounds < 1) {
    throw bad_input("successive halving: factor {} and {} first rounds given, expected at least 2 and 1", options.factor,
                    options.first_rounds);
  }
  Ledger ledger(std::move(candidates), options.seed);
  Meter meter(options.limits);
  std::vector<std::size_t> left = all(ledger.rows().size()), out;
  std::int64_t rounds = options.first_rounds;
  bool complete = true;
  do {
    complete = run_rung(ledger, meter, evaluator, rounds);
    left = rank(ledger, left);
    if (complete) {
      const std::vector<std::size_t> others = cut(left, static_cast<std::size_t>(options.factor));
      std::for_each(others.begin(), others.end(), [&ledger](std::size_t candidate) { ledger.set_active(candidate, false); });
      out.insert(out.begin(), others.begin(), others.end());
      rounds *= options.factor;
    }
  } while (complete && left.size() > 1);
  left.insert(left.end(), out.begin(), out.end());
  return summarise(ledger, meter, left, complete);
}

}  // namespace flopcast::bench
