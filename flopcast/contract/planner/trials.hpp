#pragma once

#include <atomic>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/contract/planner/contraction_plan.hpp"
#include "flopcast/search/race.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {

/// Limits of an incremental choice.
struct IncrementalOptions {
  std::size_t max_candidates = 8;       ///< first candidates of the list that are executed
  std::size_t max_neighbours = 4;       ///< neighbours of the fastest one that are executed behind them
  std::size_t max_racing = 4;           ///< candidates in the race at the end
  std::int64_t max_rounds = 10;         ///< rounds of that race
  double max_predicted_slowdown = 1.5;  ///< candidates that are predicted to take longer, as a multiple of the best time, aren't executed
};

/// The choice of the fastest of several candidates from executions that somebody makes anyway, one at a time. Knows neither candidates nor
/// clocks: the caller executes next() and hands its time to record().
///
/// 1. The first candidates of the list are executed twice each. The first of these executions loads code and touches buffers, so that its
///    time doesn't count. A candidate that takes over 3 times as long as the best in it isn't executed again.
/// 2. Candidates that took over 1.3 times as long as the best are executed once more, because a disturbance may have been the reason.
/// 3. Neighbours of the fastest candidate are executed twice each, as long as that helps.
/// 4. The fastest few run in a search::Race, whose leader is the choice.
class IncrementalChoice {
 public:
  /// Returns whether two candidates differ so little that one is worth executing if the other is the fastest.
  using AreNeighbours = std::function<bool(std::size_t, std::size_t)>;

  /// `expected` are the predicted times of the candidates, the most promising first. Throws bad_input if there is none.
  IncrementalChoice(std::vector<Seconds> expected, AreNeighbours are_neighbours, IncrementalOptions options = {});

  /// Returns the candidate whose execution is to be timed next; after the decision the chosen one.
  [[nodiscard]] std::size_t next() const { return next_; }
  /// Takes the time of an execution of next().
  void record(Seconds seconds);
  /// Skips next(), which can't be executed, from now on. The best candidate must not be skipped.
  void drop();
  [[nodiscard]] bool is_decided() const { return is_decided_; }

  /// Returns the fastest candidate so far, the first one before any time counts.
  [[nodiscard]] std::size_t best() const { return best_; }
  /// Returns the time of a candidate: its median in the race, or its shortest time outside of it; nothing if no time counts.
  [[nodiscard]] std::optional<Seconds> seconds(std::size_t candidate) const;
  /// Returns whether a candidate may be executed again.
  [[nodiscard]] bool is_left(std::size_t candidate) const { return !states_[candidate].is_out; }
  /// Returns the number of executions so far.
  [[nodiscard]] std::int64_t executions() const { return executions_; }
  /// Returns the number of candidates that were executed.
  [[nodiscard]] std::size_t tried() const;

 private:
  struct CandidateTrials {
    int executions = 0;
    int counted = 0;
    Seconds seconds = 0;  ///< valid if counted > 0
    bool is_out = false;
  };
  void advance();
  [[nodiscard]] bool is_promising(std::size_t candidate) const;
  [[nodiscard]] std::optional<std::size_t> next_of_list();
  [[nodiscard]] std::optional<std::size_t> next_disturbed() const;
  [[nodiscard]] std::optional<std::size_t> next_neighbour() const;
  void update_best();
  void begin_race();
  void record_in_race(Seconds seconds);
  void decide(std::size_t chosen);

  std::vector<Seconds> expected_;
  AreNeighbours are_neighbours_;
  IncrementalOptions options_;
  std::vector<CandidateTrials> states_;
  std::size_t next_ = 0, best_ = 0;
  std::size_t listed_ = 1;  ///< candidates of the list that were considered
  std::int64_t executions_ = 0;
  bool is_decided_ = false;
  std::optional<search::Race> race_;
  std::vector<std::size_t> round_;  ///< the candidates of the present round of the race
  std::vector<Seconds> costs_;      ///< the times of the first of them
};

/// Computes C := alpha A B + beta C with one candidate. May be called from several threads at once.
using CandidateCall = std::function<void(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta)>;

/// The surroundings of trials, which tests replace.
struct TrialServices {
  /// Prepares a candidate. An Error or std::bad_alloc makes trials skip the candidate, unless it is the first one.
  std::function<CandidateCall(const Candidate& candidate)> prepare;
  std::function<Seconds()> now;  ///< time in seconds since any moment
  /// Keeps the decision. Returns a reason if it can't be kept.
  std::function<std::string(const Candidate& chosen)> keep = [](const Candidate&) { return std::string(); };
};

/// The trials of one contraction: its executions try candidates and are timed, until the fastest candidate is known. All plans of the same
/// contraction may share the trials, from several threads at once.
class Trials {
 public:
  /// Prepares the first candidate. `candidates` are sorted, the most promising first. Throws what `services.prepare` throws for the first.
  Trials(std::vector<Candidate> candidates, TrialServices services, IncrementalOptions options = {});

  /// Computes C := alpha A B + beta C, unless the choice is made already. Returns whether this function has computed C.
  /// - One thread at a time tries the next candidate. Other threads use the best so far.
  /// - A candidate that throws environment_error, which leaves C unchanged, is skipped, and the best so far computes C. Other exceptions
  ///   pass through.
  bool run(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta);

  /// Returns whether the choice is made.
  [[nodiscard]] bool is_decided() const { return is_decided_.load(std::memory_order_acquire); }
  /// Returns the candidates: those with measured times first, by rising time, then those that never counted.
  [[nodiscard]] std::vector<Candidate> considered() const;
  /// Returns the best candidate so far, prepared, or null if take_decided() has returned the decision.
  [[nodiscard]] std::shared_ptr<const CandidateCall> best() const;
  /// Returns the decision's execution if nobody has taken it yet, or null. Requires is_decided().
  std::shared_ptr<const CandidateCall> take_decided();
  /// Returns the number of executions that were timed, and of candidates in them.
  [[nodiscard]] std::string explain() const;

 private:
  void try_next(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta);
  [[nodiscard]] std::shared_ptr<const CandidateCall> prepared(std::size_t candidate);
  void take_time(Seconds seconds);
  void leave_out();
  void publish(std::size_t best);

  TrialServices services_;
  std::mutex trying_;  ///< held by the thread that tries a candidate, which alone uses the next member
  std::vector<std::shared_ptr<const CandidateCall>> executions_;  ///< index: candidate; null until the candidate is tried

  mutable std::mutex mutex_;  ///< held while one of the following is used
  std::vector<Candidate> candidates_;
  IncrementalChoice choice_;
  std::shared_ptr<const CandidateCall> best_;
  std::string not_kept_;  ///< reason

  std::atomic<bool> is_decided_ = false;
};

}  // namespace flopcast::contract
