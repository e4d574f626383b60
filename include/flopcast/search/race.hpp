#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/statistics.hpp"
#include "flopcast/search/evaluator.hpp"
#include "flopcast/search/ledger.hpp"

namespace flopcast::search {

struct RaceOptions {
  double tolerance =
      0.02;  ///< largest accepted regret of the leader, as a fraction of its cost (Tørring et al. 2021, abstract: an error below 2 %)
  double error_probability = 0.05;  ///< probability that the regret is larger
  std::int64_t min_rounds = 3;
  std::int64_t max_rounds = 1000;  ///< candidates that are tied after so many rounds remain tied
  std::int64_t aa_rounds = 64;     ///< rounds in which A/A differences help to decide; later the sign test decides alone; 0: none
  Seconds good_enough =
      0;  ///< the race stops once the leader's median cost is at most this: a known lower bound divided by the share to reach
  std::uint64_t seed = 1;
  Limits limits;
};

/// The state of one configuration in a race.
struct CandidateState {
  enum class Standing : std::uint8_t { contender, slower, dropped };
  std::size_t configuration = 0;
  Standing state = Standing::contender;  ///< slower: eliminated; dropped: see `fault`
  std::string fault;
  std::int64_t evaluations = 0;
  Seconds median = 0;  ///< median cost; NaN without evaluations
  Interval interval;   ///< 95 % interval of the median, distribution-free
};

/// The result of a race, valid whenever the race stopped: with probability 1 - error_probability the best configuration is among the ties,
/// and no tie costs less than (1 - possible_gain) times the leader. If the race was cut short, the leader is chosen by likely_best().
struct RaceResult {
  std::optional<std::size_t> leader;  ///< empty if nothing was evaluated or all were dropped
  std::vector<std::size_t>
      ties;                  ///< candidates that aren't certainly slower than the leader: the leader first, then by median difference to it
  double possible_gain = 1;  ///< largest possible regret of the leader against a tie, as a fraction of its cost
  double error_probability = 0;  ///< error probability of the statement above, spent by the looks so far
  Ending ending = Ending::budget;
  std::int64_t rounds = 0, evaluations = 0;
  std::vector<CandidateState> candidates;  ///< in the order of the candidates
};

/// Races candidates in interleaved rounds. After some of the rounds the race takes a look, which tests every competitor:
/// - a competitor whose paired differences to the leader have a median certainly above 0 is eliminated;
/// - a competitor that certainly can't gain more than the tolerance rests until the leader changes;
/// - the race is decided once all remaining competitors rest.
///
/// The confidence is corrected for repeated looks and for many competitors: look t has a share of the error probability in proportion to
/// 1 / t, divided by the number of competitors. With probability 1 - error_probability no bound of the best candidate fails; then the best
/// candidate is never eliminated and the leader is within the tolerance of it. Assumptions: rounds are independent, and in the first
/// aa_rounds the noise has the distribution of the A/A differences, which the random order within rounds serves. A/A differences are
/// changes of candidates near the leader from one round to the next; if such candidates are few, pairs of evaluations within a round.
///
/// If RaceOptions::good_enough is set and the leader seems to reach it, the leader is evaluated some more times after rounds 1, 2, 4, 8 and
/// so on. All these trials together have the error probability of the race once more.
class Race {
 public:
  /// Throws bad_input for options out of range and for candidates that Ledger refuses.
  Race(std::vector<std::size_t> candidates, RaceOptions options = {});

  /// Runs until the race stops. If the evaluator throws, all complete rounds are kept and run() may be called again.
  void run(const Evaluator& evaluator);
  /// Runs one round, for races whose evaluations come one at a time. Returns the reason if the race stops.
  std::optional<Ending> step(const Evaluator& evaluator);
  /// Returns the configurations that the next round evaluates, in their order. A trial of whether the leader is good enough isn't among
  /// them.
  [[nodiscard]] std::vector<std::size_t> next_round() const { return ledger_.next_round(next_aa_pairs()); }
  [[nodiscard]] RaceResult result() const;

 private:
  struct Look {
    std::int64_t round = -1;
    double alpha = 0;
    std::vector<double>
        bounds;  ///< index: candidate; lower bound of the median log ratio to the leader; 0 for the leader and eliminated candidates
  };
  [[nodiscard]] std::vector<std::size_t> contenders() const;
  [[nodiscard]] std::vector<std::size_t> active() const;
  [[nodiscard]] std::vector<std::size_t> ties(std::size_t leader) const;
  [[nodiscard]] std::optional<std::size_t> pick_leader() const;
  [[nodiscard]] double spent(std::int64_t looks) const;
  [[nodiscard]] double next_alpha() const;
  [[nodiscard]] std::vector<std::size_t> near() const;
  [[nodiscard]] std::vector<double> early_aa_differences() const;
  [[nodiscard]] std::size_t pick_aa_candidate() const;
  [[nodiscard]] std::int64_t pairs(std::size_t compared) const;
  [[nodiscard]] bool look_is_due() const;
  [[nodiscard]] Look look(std::size_t leader) const;
  [[nodiscard]] double possible_gain(const Look& look) const;
  void take_look();
  bool leader_is_good_enough(const Evaluator& evaluator);
  std::optional<Ending> decide();
  [[nodiscard]] std::optional<Ledger::AaPairs> next_aa_pairs() const;

  RaceOptions options_;
  Ledger ledger_;
  Meter meter_;
  std::vector<bool> slower_;
  std::optional<std::size_t> leader_;
  Look last_look_;
  std::int64_t looks_ = 0;
  std::int64_t trials_ = 0;  ///< trials of whether the leader is good enough
  std::int64_t next_trial_round_ = 1;
  Ending ending_ = Ending::budget;
};

/// Runs one race until it stops.
RaceResult race(std::vector<std::size_t> candidates, const Evaluator& evaluator, RaceOptions options = {});

/// Races `top` configurations of `result` again, ties first, then the fastest of the slower ones, with an evaluator that costs more and is
/// closer to reality, such as fresh processes. The costs need not be comparable with those before. Throws bad_input if `result` holds no
/// configuration.
RaceResult confirm(const RaceResult& result, std::size_t top, const Evaluator& evaluator, RaceOptions options = {});

}  // namespace flopcast::search
