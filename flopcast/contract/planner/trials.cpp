#include "flopcast/contract/planner/trials.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "flopcast/contract/planner/tiling.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/no_fork_scope.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {
namespace {

constexpr double clearly_slower = 1.3;  ///< multiple of the best time from which on a candidate doesn't race
constexpr double far_slower = 3;        ///< multiple of the best time that first use doesn't explain

std::vector<Seconds> expected_times(const std::vector<Candidate>& candidates) {
  std::vector<Seconds> times;
  std::transform(candidates.begin(), candidates.end(), std::back_inserter(times), [](const Candidate& one) { return one.seconds; });
  return times;
}

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
  return static_cast<std::size_t>(
      std::count_if(states_.begin(), states_.end(), [](const CandidateTrials& state) { return state.executions > 0; }));
}

void IncrementalChoice::record(Seconds seconds) {
  ++executions_;
  CandidateTrials& state = states_[next_];
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
  if (const CandidateTrials& state = states_[next_]; state.executions == 1 && !state.is_out) {
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
    const CandidateTrials& state = states_[i];
    if (state.counted == 1 && !state.is_out && state.seconds > clearly_slower * states_[best_].seconds) {
      return i;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> IncrementalChoice::next_neighbour() const {
  const auto of_list = std::min(states_.size(), options_.max_candidates);
  const auto beyond = states_.begin() + static_cast<std::ptrdiff_t>(of_list);
  const auto executed =
      std::count_if(beyond, states_.end(), [](const CandidateTrials& state) { return state.executions > 0 || state.is_out; });
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

Trials::Trials(std::vector<Candidate> candidates, TrialServices services, IncrementalOptions options)
    : services_(std::move(services)),
      executions_(candidates.size()),
      candidates_(std::move(candidates)),
      choice_(
          expected_times(candidates_),
          [this](std::size_t x, std::size_t y) { return are_neighbours(candidates_[x].tiling, candidates_[y].tiling); }, options) {
  executions_.front() = std::make_shared<const CandidateCall>(services_.prepare(candidates_.front()));
  best_ = executions_.front();
  is_decided_ = choice_.is_decided();
}

bool Trials::run(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta) {
  const std::unique_lock trying(trying_, std::try_to_lock);
  if (is_decided()) {
    return false;
  }
  if (trying) {
    try_next(a, b, c, alpha, beta);
  } else if (const std::shared_ptr<const CandidateCall> execution = best()) {
    (*execution)(a, b, c, alpha, beta);
  } else {
    return false;  // decided and taken in the meantime
  }
  return true;
}

/// Requires the lock of trying_.
void Trials::try_next(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta) {
  const std::size_t candidate = [this] {
    const ForkSafeLock lock(mutex_);
    return choice_.next();
  }();
  const std::shared_ptr<const CandidateCall> best_so_far = best(), execution = prepared(candidate);
  if (execution != nullptr) {
    try {
      const Seconds begin = services_.now();
      (*execution)(a, b, c, alpha, beta);
      take_time(services_.now() - begin);
      return;
    } catch (const Error& error) {
      if (execution == best_so_far || error.code() != ExitCode::environment) {
        throw;
      }
    }
  }
  leave_out();
  (*best_so_far)(a, b, c, alpha, beta);
}

/// Returns the execution of a candidate, or null if it can't be prepared.
std::shared_ptr<const CandidateCall> Trials::prepared(std::size_t candidate) {
  std::shared_ptr<const CandidateCall>& execution = executions_[candidate];
  if (execution == nullptr) {
    try {
      execution = std::make_shared<const CandidateCall>(services_.prepare(candidates_[candidate]));
    } catch (const Error&) {
      return nullptr;
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  return execution;
}

std::shared_ptr<const CandidateCall> Trials::best() const {
  const ForkSafeLock lock(mutex_);
  return best_;
}

void Trials::take_time(Seconds seconds) {
  const std::size_t best = [&] {
    const ForkSafeLock lock(mutex_);
    choice_.record(seconds);
    return choice_.best();
  }();
  publish(best);
}

void Trials::leave_out() {
  const std::size_t best = [&] {
    const ForkSafeLock lock(mutex_);
    choice_.drop();
    return choice_.best();
  }();
  publish(best);
}

/// Publishes the best execution, frees those that are skipped, and keeps a decision. Only the thread that tries changes choice_.
void Trials::publish(std::size_t best) {
  const std::shared_ptr<const CandidateCall> execution = executions_[best];
  for (std::size_t i = 0; i < executions_.size(); ++i) {
    if (i != best && (choice_.is_decided() || !choice_.is_left(i))) {
      executions_[i] = nullptr;
    }
  }
  const bool is_decided = choice_.is_decided();
  std::string reason;
  if (is_decided) {
    reason = services_.keep(considered().front());
    executions_.clear();
    services_ = {};  // what the functions hold isn't needed any more
  }
  const ForkSafeLock lock(mutex_);
  best_ = execution;
  not_kept_ = std::move(reason);
  is_decided_.store(is_decided, std::memory_order_release);
}

std::vector<Candidate> Trials::considered() const {
  const ForkSafeLock lock(mutex_);
  std::vector<Candidate> all = candidates_;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (const std::optional<Seconds> seconds = choice_.seconds(i)) {
      all[i].seconds = *seconds;
      all[i].basis = Basis::execution;
    }
  }
  std::swap(all.front(), all[choice_.best()]);  // the race may have chosen another one than that with the shortest time
  std::stable_sort(all.begin() + 1, all.end(),
                   [](const Candidate& x, const Candidate& y) { return x.basis != y.basis ? x.basis > y.basis : x.seconds < y.seconds; });
  return all;
}

std::shared_ptr<const CandidateCall> Trials::take_decided() {
  const ForkSafeLock lock(mutex_);
  return std::exchange(best_, nullptr);
}

std::string Trials::explain() const {
  const ForkSafeLock lock(mutex_);
  std::string text = fmt::format("{} tried in {}", counted(choice_.tried(), "candidate"), counted(choice_.executions(), "execution"));
  if (!choice_.is_decided()) {
    text += ", undecided: further executions try candidates";
  } else if (!not_kept_.empty()) {
    text += "; the choice is not kept: " + not_kept_;
  }
  return text;
}

}  // namespace flopcast::contract
