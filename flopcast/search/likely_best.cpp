#include "flopcast/search/ledger.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include "flopcast/core/statistics.hpp"

namespace flopcast::search {
namespace {

enum class Statistic : std::uint8_t { median, quartile, least };
enum class Rounds : std::uint8_t { all, even, odd };

/// Returns the log ratio of the cost of `a` to the cost of `b`, from the rounds that have both; NaN if no round has.
double behind(const Ledger& ledger, std::size_t a, std::size_t b, Statistic statistic, Rounds rounds) {
  const std::vector<Seconds>&ours = ledger.rows()[a].costs, &theirs = ledger.rows()[b].costs;
  std::vector<double> costs, other_costs, differences;
  std::size_t common = 0;
  for (std::size_t round = 0; round < ours.size(); ++round) {
    const double difference = std::log(ours[round] / theirs[round]);
    if (std::isnan(difference)) {
      continue;
    }
    const Rounds part = common++ % 2 == 0 ? Rounds::even : Rounds::odd;
    if (rounds == Rounds::all || rounds == part) {
      costs.push_back(ours[round]);
      other_costs.push_back(theirs[round]);
      differences.push_back(difference);
    }
  }
  if (differences.empty()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (statistic == Statistic::median) {
    return median(differences);
  }
  const double share = statistic == Statistic::quartile ? 0.25 : 0;
  return std::log(quantile(costs, share) / quantile(other_costs, share));
}

Statistic max_telling(const Ledger& ledger, const std::vector<std::size_t>& alike, std::size_t reference) {
  constexpr std::int64_t few_rounds = 8;
  constexpr std::size_t few_changes = 3;
  if (ledger.rounds() < few_rounds) {
    return Statistic::least;
  }
  Statistic best = Statistic::quartile;
  double min_change = std::numeric_limits<double>::infinity();
  for (const Statistic statistic : {Statistic::median, Statistic::quartile, Statistic::least}) {
    std::vector<double> changes;
    for (const std::size_t candidate : alike) {
      const double change = std::fabs(behind(ledger, candidate, reference, statistic, Rounds::even) -
                                      behind(ledger, candidate, reference, statistic, Rounds::odd));
      if (candidate != reference && !std::isnan(change)) {
        changes.push_back(change);
      }
    }
    if (changes.size() >= few_changes && median(changes) < min_change) {
      min_change = median(changes);
      best = statistic;
    }
  }
  return best;
}

}  // namespace

std::size_t likely_best(const Ledger& ledger, const std::vector<std::size_t>& candidates, const std::vector<std::size_t>& alike,
                        std::size_t reference) {
  const Statistic statistic = max_telling(ledger, alike, reference);
  std::size_t best = reference;
  double least = 0;
  for (const std::size_t candidate : candidates) {
    if (const double distance = behind(ledger, candidate, reference, statistic, Rounds::all); distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace flopcast::search
