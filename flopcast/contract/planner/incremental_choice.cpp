#include "flopcast/contract/planner/incremental_choice.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

constexpr double clearly_slower = 1.3;  ///< as a multiple of the best time: a candidate that doesn't race
constexpr double far_slower = 3;        ///< as a multiple of the best time: more than first use explains

}  // namespace

IncrementalChoice::IncrementalChoice(std::vector<Seconds> expected, AreNeighbours are_neighbours, IncrementalOptions options)
    : expected_(std::move(expected)), are_neighbours_(std::move(are_neighbours)), options_(options), states_(expected_.size()) {
  if (expected_.empty()) {
    throw bad_input("an incremental choice needs a candidate, but none is given");
  }
  if (expected_.size() == 1) {
    decide(0);
  }
}

std::optional<Seconds> IncrementalChoice::seconds(std::size_t candidate) const {
  return states_[candidate].counted > 0 ? std::optional(states_[candidate].seconds) : std::nullopt;
}

std::size_t IncrementalChoice::tried() const {
  return static_cast<std::size_t>(std::count_if(states_.begin(), states_.end(), [](const State& state) { return state.executions > 0; }));
}

void IncrementalChoice::record(Seconds seconds) {
  ++executions_;
  State& state = states_[next_];
  ++state.executions;
  if (is_decided_) {
    return;
  }
  if (race_) {
    record_in_race(seconds);
    return;
  }
  const Seconds best = this->seconds(best_).value_or(std::numeric_limits<Seconds>::infinity());
  if (state.executions == 1) {
    state.is_out = seconds > far_slower * best;
  } else {
    state.seconds = state.counted == 0 ? seconds : std::min(state.seconds, seconds);
    ++state.counted;
    update_best();
  }
  advance();
}

void IncrementalChoice::drop() {
  states_[next_].is_out = true;
  if (race_) {
    record_in_race(std::numeric_limits<Seconds>::infinity());  // the race drops a candidate with such a cost
  } else {
    advance();
  }
}

void IncrementalChoice::update_best() {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].counted > 0 && !states_[i].is_out && states_[i].seconds < states_[best_].seconds) {
      best_ = i;
    }
  }
}

void IncrementalChoice::advance() {
  if (const State& state = states_[next_]; state.executions == 1 && !state.is_out) {
    return;  // once more, now that its first use is over
  }
  std::optional<std::size_t> found = next_of_list();
  found = found ? found : next_disturbed();
  found = found ? found : next_neighbour();
  if (found) {
    next_ = *found;
  } else {
    begin_race();
  }
}

/// Returns whether a candidate may be about as fast as the best. Its predicted time counts as it is, or scaled by the smallest ratio of
/// measured to predicted times so far, if this is below 1.
bool IncrementalChoice::is_promising(std::size_t candidate) const {
  double scale = 1;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].counted > 0) {
      scale = std::min(scale, states_[i].seconds / expected_[i]);
    }
  }
  return scale * expected_[candidate] <= options_.max_predicted_slowdown * states_[best_].seconds;
}

std::optional<std::size_t> IncrementalChoice::next_of_list() {
  while (listed_ < std::min(states_.size(), options_.max_candidates)) {
    if (is_promising(listed_++)) {
      return listed_ - 1;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> IncrementalChoice::next_disturbed() const {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const State& state = states_[i];
    if (state.counted == 1 && !state.is_out && state.seconds > clearly_slower * states_[best_].seconds) {
      return i;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> IncrementalChoice::next_neighbour() const {
  const auto of_list = std::min(states_.size(), options_.max_candidates);
  const auto beyond = states_.begin() + static_cast<std::ptrdiff_t>(of_list);
  const auto executed = std::count_if(beyond, states_.end(), [](const State& state) { return state.executions > 0 || state.is_out; });
  for (std::size_t i = of_list; i < states_.size() && executed < static_cast<std::ptrdiff_t>(options_.max_neighbours); ++i) {
    if (states_[i].executions == 0 && !states_[i].is_out && are_neighbours_(i, best_) && is_promising(i)) {
      return i;
    }
  }
  return std::nullopt;
}

void IncrementalChoice::begin_race() {
  std::vector<std::size_t> racing;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].counted > 0 && !states_[i].is_out && states_[i].seconds <= clearly_slower * states_[best_].seconds) {
      racing.push_back(i);
    }
  }
  std::stable_sort(racing.begin(), racing.end(), [&](std::size_t x, std::size_t y) { return states_[x].seconds < states_[y].seconds; });
  racing.resize(std::min(racing.size(), std::max<std::size_t>(1, options_.max_racing)));
  for (std::size_t i = 0; i < states_.size(); ++i) {
    states_[i].is_out = std::find(racing.begin(), racing.end(), i) == racing.end();
  }
  if (racing.size() <= 1) {
    decide(best_);
    return;
  }
  search::RaceOptions options;
  options.max_rounds = std::max(options_.max_rounds, options.min_rounds);
  options.aa_rounds = 0;  // A/A pairs would spare rounds, but take as many executions
  race_.emplace(std::move(racing), options);
  round_ = race_->next_round();
  next_ = round_.front();
}

void IncrementalChoice::record_in_race(Seconds seconds) {
  costs_.push_back(seconds);
  if (costs_.size() < round_.size()) {
    next_ = round_[costs_.size()];
    return;
  }
  const auto ending = race_->step(search::Evaluator([this](search::Evaluator::Block) { return costs_; }));
  costs_.clear();
  round_ = race_->next_round();
  if (!ending && !round_.empty()) {
    next_ = round_.front();
    return;
  }
  const search::RaceResult result = race_->result();
  for (const search::CandidateState& candidate : result.candidates) {
    if (candidate.evaluations > 0) {
      states_[candidate.configuration].seconds = candidate.median;
    }
  }
  decide(result.leader.value_or(best_));
}

void IncrementalChoice::decide(std::size_t chosen) {
  is_decided_ = true;
  best_ = next_ = chosen;
  race_.reset();
}

}  // namespace flopcast::contract
