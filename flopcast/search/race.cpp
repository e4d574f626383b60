#include "flopcast/search/race.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "flopcast/search/bounds.hpp"
#include "flopcast/search/ledger.hpp"
#include "flopcast/support/division.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::search {
namespace {

void check(const RaceOptions& options) {
  if (!(options.tolerance >= 0 && options.tolerance < 1)) {
    throw bad_input("race: tolerance {} given, expected at least 0 and below 1", options.tolerance);
  }
  if (!(options.error_probability > 0 && options.error_probability < 1)) {
    throw bad_input("race: error probability {} given, expected above 0 and below 1", options.error_probability);
  }
  if (options.min_rounds < 1 || options.max_rounds < options.min_rounds) {
    throw bad_input("race: {} to {} rounds given, expected a minimum of at least 1, and a maximum of no less than that", options.min_rounds,
                    options.max_rounds);
  }
}

/// Largest log ratio to the leader for which a candidate's noise is taken to be like the leader's.
const double near_leader = std::log(1.1);

/// Number of A/A differences between rounds from which no A/A pairs are needed.
constexpr std::size_t enough_between_rounds = 24;
/// Number of A/A differences that are used, the latest ones; more add nothing.
constexpr std::size_t max_aa_differences = 128;

CandidateState state_of(const Ledger::Row& row, bool slower) {
  const std::vector<Seconds> costs = row.evaluated();
  const auto state = row.dropped() ? CandidateState::Standing::dropped
                     : slower      ? CandidateState::Standing::slower
                                   : CandidateState::Standing::contender;
  return {row.configuration, state, row.fault, static_cast<std::int64_t>(costs.size()), median(costs), median_interval(costs)};
}

}  // namespace

Race::Race(std::vector<std::size_t> candidates, RaceOptions options)
    : options_(std::move(options)),
      ledger_(std::move(candidates), options_.seed),
      meter_(options_.limits),
      slower_(ledger_.rows().size(), false) {
  check(options_);
}

std::vector<std::size_t> Race::contenders() const {
  std::vector<std::size_t> numbers = all(slower_.size());
  std::erase_if(numbers, [this](std::size_t candidate) { return slower_[candidate] || ledger_.rows()[candidate].dropped(); });
  return numbers;
}

std::vector<std::size_t> Race::active() const {
  std::vector<std::size_t> numbers = contenders();
  std::erase_if(numbers, [this](std::size_t candidate) { return !ledger_.rows()[candidate].active; });
  return numbers;
}

/// Returns the error probability that the first `looks` looks spend.
double Race::spent(std::int64_t looks) const {
  return options_.error_probability * share_of_looks(looks, options_.min_rounds, options_.max_rounds);
}

/// Returns the error probability that the next look may spend on one competitor: the best candidate may face any other active one as leader.
double Race::next_alpha() const {
  const std::size_t racing = contenders().size(), leaders = active().size();
  const std::size_t competitors = std::max<std::size_t>(std::min(leaders, racing - 1), 1);
  return (spent(looks_ + 1) - spent(looks_)) / static_cast<double>(competitors);
}

/// Returns whether a look is due. A look with too few rounds for any bound is not taken and costs nothing.
bool Race::look_is_due() const {
  const std::int64_t rounds = ledger_.rounds();
  if (rounds < options_.min_rounds || rounds < next_look_round(last_look_.round)) {
    return false;
  }
  return bound_ranks(static_cast<std::size_t>(rounds), early_aa_differences().size(), next_alpha()).tells();
}

/// Returns the candidates that aren't far behind the leader, eliminated ones included: their noise is like that of the best candidate.
std::vector<std::size_t> Race::near() const {
  std::vector<std::size_t> numbers = all(slower_.size());
  std::erase_if(numbers, [this](std::size_t candidate) { return !(median(ledger_.paired(candidate, *leader_)) < near_leader); });
  return numbers;
}

/// Returns the A/A differences that a look uses: those between rounds, or, if these are few, those of A/A pairs.
std::vector<double> Race::early_aa_differences() const {
  if (ledger_.rounds() > options_.aa_rounds) {
    return {};
  }
  std::vector<double> differences = ledger_.aa_between_rounds(near());
  if (differences.size() < enough_between_rounds) {
    differences.insert(differences.end(), ledger_.aa_within_round().begin(), ledger_.aa_within_round().end());
  }
  const std::size_t kept = std::min(differences.size(), max_aa_differences);
  return {differences.end() - static_cast<std::ptrdiff_t>(kept), differences.end()};
}

Race::Look Race::look(std::size_t leader) const {
  Look look{ledger_.rounds(), next_alpha(), std::vector<double>(slower_.size(), 0)};
  const std::vector<double> aa = early_aa_differences();
  std::map<std::size_t, BoundRanks> ranks;  // by number of differences, which is nearly always the same
  for (const std::size_t candidate : contenders()) {
    if (candidate != leader) {
      std::vector<double> differences = ledger_.paired(candidate, leader);
      const auto [known, is_new] = ranks.try_emplace(differences.size());
      if (is_new) {
        known->second = bound_ranks(differences.size(), aa.size(), look.alpha);
      }
      look.bounds[candidate] = median_lower_bound(std::move(differences), aa, known->second);
    }
  }
  return look;
}

double Race::possible_gain(const Look& look) const {
  double gain = 0;
  for (const std::size_t candidate : contenders()) {
    gain = std::max(gain, -std::expm1(look.bounds[candidate]));
  }
  return gain;
}

std::optional<std::size_t> Race::pick_leader() const {
  std::vector<std::size_t> ranking = ledger_.ranking(active(), leader_);
  if (ranking.empty()) {  // the leader was dropped, and no remaining candidate shares a round with it
    ranking = ledger_.ranking(contenders(), std::nullopt);
  }
  return ranking.empty() ? std::nullopt : std::optional(ranking.front());
}

void Race::take_look() {
  last_look_ = look(*leader_);
  ++looks_;
  const double rest = std::log1p(-options_.tolerance);
  for (const std::size_t candidate : contenders()) {
    slower_[candidate] = last_look_.bounds[candidate] > 0;
    ledger_.set_active(candidate, candidate == leader_ || last_look_.bounds[candidate] < rest);
  }
}

/// Tests the leader with new evaluations, which had no part in making it the leader.
bool Race::leader_is_good_enough(const Evaluator& evaluator) {
  if (!(options_.good_enough > 0) || !leader_ || ledger_.rounds() < next_trial_round_ ||
      !(median(ledger_.rows()[*leader_].evaluated()) <= options_.good_enough)) {
    return false;
  }
  next_trial_round_ = 2 * ledger_.rounds();
  ++trials_;
  const double alpha = options_.error_probability * std::exp2(-static_cast<double>(trials_));
  static constexpr double to_spare = 3;  // allows for a disturbed one
  const std::vector<std::size_t> block(static_cast<std::size_t>(std::ceil(-std::log2(alpha)) + to_spare),
                                       ledger_.rows()[*leader_].configuration);
  std::vector<Seconds> costs;
  for (const Evaluation& evaluation : meter_.evaluate(evaluator, block)) {
    costs.push_back(evaluation.cost);
  }
  return std::none_of(costs.begin(), costs.end(), [](Seconds cost) { return fault(cost) != nullptr; }) &&
         sign_interval(costs, 2 * alpha).high <= options_.good_enough;
}

std::optional<Ending> Race::decide() {
  leader_ = pick_leader();
  if (contenders().empty()) {
    return Ending::nothing_left;
  }
  if (active().empty()) {  // all that raced were dropped while the others rested
    for (const std::size_t candidate : contenders()) {
      ledger_.set_active(candidate, true);
    }
  }
  if (leader_ && look_is_due()) {
    take_look();
    if (possible_gain(last_look_) <= options_.tolerance) {
      return Ending::decided;
    }
  }
  if (contenders().size() == 1 && ledger_.rounds() >= options_.min_rounds) {
    return Ending::decided;
  }
  return ledger_.rounds() >= options_.max_rounds ? std::optional(Ending::budget) : std::nullopt;
}

/// Chooses the candidate that is compared with itself: the leader, whose noise matters. If an evaluation of the leader takes long, this is
/// the quickest candidate that is nearly as good; its noise is similar and rather larger.
std::size_t Race::pick_aa_candidate() const {
  static constexpr double much_quicker = 4;
  const Seconds leaders = ledger_.rows()[*leader_].duration;
  std::size_t compared = *leader_;
  for (const std::size_t candidate : near()) {
    const Seconds duration = ledger_.rows()[candidate].duration;
    if (ledger_.rows()[candidate].active && much_quicker * duration < leaders && duration < ledger_.rows()[compared].duration) {
      compared = candidate;
    }
  }
  return compared;
}

/// Returns the number of A/A pairs of the next round. Before the first look it is the number with which that look comes soonest; later it
/// is one, or none if there are enough A/A differences between rounds.
std::int64_t Race::pairs(std::size_t compared) const {
  const auto known = static_cast<std::int64_t>(early_aa_differences().size());
  if (std::max(near().size(), static_cast<std::size_t>(known)) >= enough_between_rounds) {
    return 0;
  }
  if (looks_ > 0) {
    return 1;
  }
  const std::vector<std::size_t> racing = active();
  const Seconds round = std::accumulate(racing.begin(), racing.end(), 0.0,
                                        [this](Seconds sum, std::size_t candidate) { return sum + ledger_.rows()[candidate].duration; });
  static constexpr std::size_t margin = 2;
  static constexpr std::int64_t late = 16;  // rounds from which the sign test alone can decide
  Seconds soonest = std::numeric_limits<Seconds>::infinity();
  std::int64_t best = 1;
  for (std::int64_t rounds = std::max(options_.min_rounds, ledger_.rounds() + 1); rounds <= std::min(options_.aa_rounds, late); ++rounds) {
    const std::size_t aa = min_aa_pairs(static_cast<std::size_t>(rounds), margin, next_alpha(), max_aa_differences);
    const std::int64_t to_come = rounds - ledger_.rounds();
    const std::int64_t lacking = static_cast<std::int64_t>(aa) - known;
    const Seconds seconds = static_cast<double>(to_come) * round +
                            2 * static_cast<double>(std::max<std::int64_t>(lacking, 0)) * ledger_.rows()[compared].duration;
    if (seconds < soonest) {
      soonest = seconds;
      best = ceil_div(lacking, to_come);
    }
  }
  return std::clamp<std::int64_t>(best, 0, Ledger::max_pairs);
}

/// Returns the A/A pairs of the next round, or nothing if its A/A differences aren't needed.
std::optional<Ledger::AaPairs> Race::next_aa_pairs() const {
  if (leader_ && ledger_.rounds() < options_.aa_rounds && contenders().size() > 1) {
    const std::size_t candidate = pick_aa_candidate();
    if (const std::int64_t entered = pairs(candidate); entered > 0) {
      return Ledger::AaPairs{candidate, entered};
    }
  }
  return std::nullopt;
}

std::optional<Ending> Race::step(const Evaluator& evaluator) {
  const bool complete = ledger_.round(evaluator, meter_, next_aa_pairs());
  std::optional<Ending> ending = decide();
  if (!ending && complete && leader_is_good_enough(evaluator)) {
    ending = Ending::good_enough;
  }
  if (!ending && !complete) {
    ending = meter_.ending();
  }
  ending_ = ending.value_or(ending_);
  return ending;
}

void Race::run(const Evaluator& evaluator) {
  while (!step(evaluator)) {
  }
}

RaceResult Race::result() const {
  RaceResult result;
  result.ending = ending_;
  result.rounds = ledger_.rounds();
  result.evaluations = meter_.evaluations();
  for (std::size_t candidate = 0; candidate < slower_.size(); ++candidate) {
    result.candidates.push_back(state_of(ledger_.rows()[candidate], slower_[candidate]));
  }
  if (!leader_) {
    return result;
  }
  const bool is_cut_short = ending_ == Ending::budget || ending_ == Ending::interrupted;
  const std::size_t leader = is_cut_short ? likely_best(ledger_, active(), near(), *leader_) : *leader_;
  const bool looked = leader == leader_ && last_look_.round == ledger_.rounds();
  result.possible_gain = possible_gain(looked ? last_look_ : look(leader));
  result.error_probability = spent(looked ? looks_ : looks_ + 1);
  result.leader = ledger_.rows()[leader].configuration;
  result.ties = ties(leader);
  return result;
}

std::vector<std::size_t> Race::ties(std::size_t leader) const {
  const std::vector<std::size_t> left = contenders();
  std::vector<std::size_t> order = {leader};
  const auto append = [&order](std::size_t candidate) {
    if (std::find(order.begin(), order.end(), candidate) == order.end()) {
      order.push_back(candidate);
    }
  };
  const std::vector<std::size_t> ranking = ledger_.ranking(left, leader);
  std::for_each(ranking.begin(), ranking.end(), append);
  std::for_each(left.begin(), left.end(), append);  // candidates without evaluations
  std::transform(order.begin(), order.end(), order.begin(),
                 [this](std::size_t candidate) { return ledger_.rows()[candidate].configuration; });
  return order;
}

RaceResult race(std::vector<std::size_t> candidates, const Evaluator& evaluator, RaceOptions options) {
  Race race(std::move(candidates), std::move(options));
  race.run(evaluator);
  return race.result();
}

RaceResult confirm(const RaceResult& result, std::size_t top, const Evaluator& evaluator, RaceOptions options) {
  std::vector<std::size_t> candidates = result.ties;
  std::vector<CandidateState> slower = result.candidates;
  std::erase_if(slower, [](const CandidateState& candidate) { return candidate.state != CandidateState::Standing::slower; });
  std::sort(slower.begin(), slower.end(), [](const CandidateState& a, const CandidateState& b) { return a.median < b.median; });
  std::transform(slower.begin(), slower.end(), std::back_inserter(candidates),
                 [](const CandidateState& candidate) { return candidate.configuration; });
  candidates.resize(std::min(top, candidates.size()));
  return race(std::move(candidates), evaluator, std::move(options));
}

}  // namespace flopcast::search
