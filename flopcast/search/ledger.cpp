#include "flopcast/search/ledger.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "flopcast/core/statistics.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::search {

std::vector<Seconds> Ledger::Row::evaluated() const {
  std::vector<Seconds> kept;
  std::copy_if(costs.begin(), costs.end(), std::back_inserter(kept), [](Seconds cost) { return !std::isnan(cost); });
  return kept;
}

Ledger::Ledger(std::vector<std::size_t> candidates, std::uint64_t seed) {
  if (const std::set<std::size_t> distinct(candidates.begin(), candidates.end());
      candidates.empty() || distinct.size() < candidates.size()) {
    throw bad_input("search: {} candidates given, {} of them distinct, expected at least one and none twice", candidates.size(),
                    distinct.size());
  }
  for (const std::size_t configuration : candidates) {
    rows_.push_back({configuration, {}, 0, {}, true});
  }
  draw_.random.seed(seed);
  draw_.order = all(rows_.size() + static_cast<std::size_t>(2 * max_pairs - 1));
}

Ledger::Draw Ledger::next_draw() const {
  Draw next = draw_;
  if (rounds_ % 2 == 0) {
    std::shuffle(next.order.begin(), next.order.end(), next.random);
  } else {
    std::reverse(next.order.begin(), next.order.end());
  }
  return next;
}

/// Returns the slots of a round in the order of evaluation: candidates, and from rows_.size() on those for A/A pairs.
std::vector<std::size_t> Ledger::slots_of(const Draw& draw, std::optional<AaPairs> aa) const {
  const std::size_t used = rows_.size() + (aa ? static_cast<std::size_t>(2 * std::min(aa->pairs, max_pairs) - 1) : 0);
  std::vector<std::size_t> slots;
  std::copy_if(draw.order.begin(), draw.order.end(), std::back_inserter(slots),
               [&](std::size_t slot) { return slot >= rows_.size() ? slot < used : rows_[slot].active; });
  return slots;
}

/// Returns the configurations of the slots.
std::vector<std::size_t> Ledger::block_of(std::span<const std::size_t> slots, std::optional<AaPairs> aa) const {
  std::vector<std::size_t> block;
  for (const std::size_t slot : slots) {
    block.push_back(rows_[slot >= rows_.size() ? aa->candidate : slot].configuration);
  }
  return block;
}

std::vector<std::size_t> Ledger::next_round(std::optional<AaPairs> aa) const { return block_of(slots_of(next_draw(), aa), aa); }

bool Ledger::round(const Evaluator& evaluator, Meter& meter, std::optional<AaPairs> aa) {
  Draw draw = next_draw();
  const std::vector<std::size_t> slots = slots_of(draw, aa), block = block_of(slots, aa);
  const std::vector<Evaluation> evaluations = meter.evaluate(evaluator, block);
  draw_ = std::move(draw);
  if (!evaluations.empty()) {
    record(slots, evaluations, aa);
  }
  return evaluations.size() == slots.size();
}

void Ledger::record(std::span<const std::size_t> slots, std::span<const Evaluation> evaluations, std::optional<AaPairs> aa) {
  ++rounds_;
  for (Row& row : rows_) {
    row.costs.push_back(std::numeric_limits<Seconds>::quiet_NaN());
  }
  std::vector<Seconds> alike;  // the costs for A/A pairs in the order of evaluation
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    const Seconds cost = evaluations[i].cost;
    const bool is_further = slots[i] >= rows_.size();
    Row& row = rows_[is_further ? aa->candidate : slots[i]];
    row.duration = evaluations[i].duration;
    if (const char* reason = fault(cost)) {
      row.fault = reason;
      row.active = false;
      continue;
    }
    if (!is_further) {
      row.costs.back() = cost;
    }
    if (is_further || (aa && aa->candidate == slots[i])) {
      alike.push_back(cost);
    }
  }
  // The two costs of a pair lie half a round apart on average, as a candidate's and the leader's do; neighbours would lie too close.
  const std::size_t pairs = alike.size() / 2;
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    aa_within_round_.push_back(std::log(alike[pair + pairs] / alike[pair]));
  }
}

std::vector<double> Ledger::paired(std::size_t a, std::size_t b) const {
  std::vector<double> differences;
  for (std::size_t round = 0; round < rows_[a].costs.size(); ++round) {
    if (const double difference = std::log(rows_[a].costs[round] / rows_[b].costs[round]); !std::isnan(difference)) {
      differences.push_back(difference);
    }
  }
  return differences;
}

std::vector<double> Ledger::aa_between_rounds(const std::vector<std::size_t>& candidates) const {
  std::vector<double> differences;
  for (std::size_t round = 1; round < static_cast<std::size_t>(rounds_); ++round) {
    std::vector<double> changes;
    for (const std::size_t candidate : candidates) {
      const std::vector<Seconds>& costs = rows_[candidate].costs;
      if (const double change = std::log(costs[round] / costs[round - 1]); !std::isnan(change)) {
        changes.push_back(change);
      }
    }
    if (changes.size() >= min_aa_candidates) {
      const double pace = median(changes);
      std::transform(changes.begin(), changes.end(), std::back_inserter(differences), [pace](double change) { return change - pace; });
    }
  }
  return differences;
}

std::vector<std::size_t> Ledger::ranking(const std::vector<std::size_t>& candidates, std::optional<std::size_t> incumbent) const {
  std::vector<std::pair<double, std::size_t>> ranked;
  for (const std::size_t candidate : candidates) {
    const double key = median(incumbent ? paired(candidate, *incumbent) : rows_[candidate].evaluated());
    if (!rows_[candidate].dropped() && !std::isnan(key)) {
      ranked.emplace_back(key, candidate);
    }
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::size_t> order(ranked.size());
  std::transform(ranked.begin(), ranked.end(), order.begin(), [](const auto& entry) { return entry.second; });
  return order;
}

std::vector<std::size_t> all(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

}  // namespace flopcast::search
