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
  double tolerance = 0.02;          ///< fraction of its cost that the leader may lose to the best (paper 003, abstract: an error below 2 %)
  double error_probability = 0.05;  ///< that it loses more
  std::int64_t least_rounds = 3;
  std::int64_t most_rounds = 1000;  ///< what is tied then is tied
  std::int64_t twin_rounds = 64;    ///< in so many A/A differences help to decide; then the sign test does alone; 0: none
  Seconds good_enough = 0;          ///< stop once the leader's median cost is at most this: a known floor over the share of it to reach
  std::uint64_t seed = 1;
  Limits limits;
};

/// What a search knows about one configuration.
struct Standing {
  enum class State : std::uint8_t { contender, slower, dropped };
  std::size_t configuration = 0;
  State state = State::contender;  ///< slower: eliminated; dropped: see `fault`
  std::string fault;
  std::int64_t evaluations = 0;
  Seconds median = 0;  ///< of its costs; NaN of none
  Interval interval;   ///< of that median, 95 %, distribution-free
};

/// Valid whenever the race stopped: with probability 1 - error_probability the best configuration is among the ties, and no tie
/// costs less than (1 - possible_gain) times the leader. Of a race that was cut short the leader is what seems best then (likely_best).
struct RaceResult {
  std::optional<std::size_t> leader;  ///< none if nothing was evaluated, or all was dropped
  std::vector<std::size_t> ties;      ///< what isn't certainly slower than the leader: leader first, then by median difference to it
  double possible_gain = 1;           ///< largest fraction of its cost that the leader may lose to a tie
  double error_probability = 0;       ///< of the statement above; spent by the looks taken so far
  Ending ending = Ending::budget;
  std::int64_t rounds = 0, evaluations = 0;
  Interval twin_ratio;              ///< 95 % interval of the A/A pairs' median cost ratio, infinite if too few or none; should hold 1
  std::vector<Standing> standings;  ///< in the order of the candidates
};

/// Races candidates in interleaved rounds. After some rounds it looks: whoever's paired differences to the leader have a median certainly
/// above 0 is out; who certainly can't gain more than the tolerance rests until the leader changes; the race is settled when all others
/// rest.
///
/// The confidence is corrected for looking often and for many competitors: look t has a share of the error probability in proportion to
/// 1 / t, divided by the number of competitors then. If no bound of the best candidate fails, which has that probability, it is
/// never eliminated and the leader is within the tolerance of it. This holds for rounds that are independent, and in the first twin_rounds
/// for noise that is like the A/A differences'; the random order is there to make it so. These are changes of the candidates that are near the
/// leader from one round to the next, and where such candidates are few, pairs of evaluations of one of them within a round.
///
/// Where a cost is good enough, the leader is evaluated some more times after rounds 1, 2, 4, 8 and so on if it seems to have reached it; the
/// error probability of all these trials together is that of the race once more.
class Race {
 public:
  /// Throws bad_input for options out of range, and as Ledger does.
  Race(std::vector<std::size_t> candidates, RaceOptions options = {});

  /// Goes on until the race stops, or the evaluator throws: all complete rounds then stand, and run may be called again.
  void run(const Evaluator& evaluator);
  [[nodiscard]] RaceResult result() const;

 private:
  struct Look {
    std::int64_t round = -1;
    double alpha = 0;
    std::vector<double> bounds;  ///< by candidate: lower bound of its median log ratio to the leader; 0 for the leader and who is out
  };
  [[nodiscard]] std::vector<std::size_t> contenders() const;
  [[nodiscard]] std::vector<std::size_t> active() const;
  [[nodiscard]] std::vector<std::size_t> ties(std::size_t leader) const;
  [[nodiscard]] std::optional<std::size_t> pick_leader() const;
  [[nodiscard]] double spent(std::int64_t looks) const;
  [[nodiscard]] double next_alpha() const;
  [[nodiscard]] std::vector<std::size_t> near() const;
  [[nodiscard]] std::vector<double> early_twins() const;
  [[nodiscard]] std::size_t pick_twin() const;
  [[nodiscard]] std::int64_t pairs(std::size_t twin) const;
  [[nodiscard]] bool look_is_due() const;
  [[nodiscard]] Look look(std::size_t leader) const;
  [[nodiscard]] double possible_gain(const Look& look) const;
  void take_look();
  bool leader_is_good_enough(const Evaluator& evaluator);
  std::optional<Ending> decide();
  std::optional<Ending> step(const Evaluator& evaluator);

  RaceOptions options_;
  Ledger ledger_;
  Meter meter_;
  std::vector<bool> slower_;
  std::optional<std::size_t> leader_;
  Look last_look_;
  std::int64_t looks_ = 0;
  std::int64_t trials_ = 0;  ///< of whether the leader is good enough
  std::int64_t next_trial_round_ = 1;
  Ending ending_ = Ending::budget;
};

/// Runs one race to its end.
RaceResult race(std::vector<std::size_t> candidates, const Evaluator& evaluator, RaceOptions options = {});

/// Races `top` configurations of `result` again (ties first, then the fastest of the slower ones) by an evaluator that is dearer and closer
/// to the truth: fresh processes. Its costs need not be comparable with those before. Throws bad_input if `result` holds none.
RaceResult confirm(const RaceResult& result, std::size_t top, const Evaluator& evaluator, RaceOptions options = {});

}  // namespace flopcast::search
