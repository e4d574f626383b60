#pragma once

#include <atomic>
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "flopcast/contract/planner/candidates.hpp"
#include "flopcast/contract/planner/incremental_choice.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {

/// Computes C := alpha A B + beta C with one candidate. May be called from several threads at once.
using CandidateCall = std::function<void(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta)>;

/// The surroundings of trials, which tests replace.
struct TrialTools {
  /// Prepares a candidate. An Error or std::bad_alloc leaves the candidate out, unless it is the first one.
  std::function<CandidateCall(const Candidate& candidate)> prepare;
  std::function<Seconds()> now;  ///< time in seconds since any moment
  /// Keeps the decision. Returns a reason if it can't be kept.
  std::function<std::string(const Candidate& chosen)> keep = [](const Candidate&) { return std::string(); };
};

/// The trials of one contraction: its executions try candidates and are timed, until the fastest candidate is known. All plans of the same
/// contraction may share the trials, from several threads at once.
class Trials {
 public:
  /// Prepares the first candidate. `candidates` are sorted, the most promising first. Throws what `tools.prepare` throws for the first.
  Trials(std::vector<Candidate> candidates, TrialTools tools, IncrementalOptions options = {});

  /// Computes C := alpha A B + beta C, unless the choice is made already. Returns whether this function has computed C.
  /// - One thread at a time tries the next candidate. Other threads use the best so far.
  /// - A candidate that throws environment_error, which leaves C unchanged, is left out, and the best so far computes C. Other exceptions
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
  void settle(std::size_t best);

  TrialTools tools_;
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
