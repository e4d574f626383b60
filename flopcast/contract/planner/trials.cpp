#include "flopcast/contract/planner/trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <optional>
#include <utility>

#include "flopcast/contract/planner/tiling.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/no_fork_scope.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {
namespace {

std::vector<Seconds> expected_times(const std::vector<Candidate>& candidates) {
  std::vector<Seconds> times;
  std::transform(candidates.begin(), candidates.end(), std::back_inserter(times), [](const Candidate& one) { return one.seconds; });
  return times;
}

}  // namespace

Trials::Trials(std::vector<Candidate> candidates, TrialTools tools, IncrementalOptions options)
    : tools_(std::move(tools)),
      executions_(candidates.size()),
      candidates_(std::move(candidates)),
      choice_(
          expected_times(candidates_),
          [this](std::size_t x, std::size_t y) { return are_neighbours(candidates_[x].tiling, candidates_[y].tiling); }, options) {
  executions_.front() = std::make_shared<const CandidateCall>(tools_.prepare(candidates_.front()));
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
      const Seconds begin = tools_.now();
      (*execution)(a, b, c, alpha, beta);
      take_time(tools_.now() - begin);
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
      execution = std::make_shared<const CandidateCall>(tools_.prepare(candidates_[candidate]));
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
  settle(best);
}

void Trials::leave_out() {
  const std::size_t best = [&] {
    const ForkSafeLock lock(mutex_);
    choice_.drop();
    return choice_.best();
  }();
  settle(best);
}

/// Publishes the best execution, frees those that are left out, and keeps a decision. Only the thread that tries changes choice_.
void Trials::settle(std::size_t best) {
  const std::shared_ptr<const CandidateCall> execution = executions_[best];
  for (std::size_t i = 0; i < executions_.size(); ++i) {
    if (i != best && (choice_.is_decided() || !choice_.is_left(i))) {
      executions_[i] = nullptr;
    }
  }
  const bool is_decided = choice_.is_decided();
  std::string reason;
  if (is_decided) {
    reason = tools_.keep(considered().front());
    executions_.clear();
    tools_ = {};  // what the functions hold isn't needed any more
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
