#include "flopcast/contract/execute_candidates.hpp"

#include <algorithm>
#include <limits>

#include "flopcast/contract/validate.hpp"
#include "flopcast/machine/clock.hpp"
#include "flopcast/search/race.hpp"

namespace flopcast::contract {
namespace {

/// Candidates on tensors of their own, and how long each took.
class Executions {
 public:
  Executions(const std::vector<Candidate>& all, const Contraction& contraction, const Folded& folded, const Machine& machine,
             const PlanOptions& options)
      : tensors_(contraction), options_(options), begin_(clock_.ticks()) {
    const std::size_t tried = std::min(all.size(), static_cast<std::size_t>(std::max(1, options.most_measured)));
    for (std::size_t i = 0; i < tried; ++i) {
      blocked_.emplace_back(folded, all[i].blocking, machine.find);
    }
    seconds_.resize(tried, std::numeric_limits<Seconds>::infinity());
  }

  /// Whether it ran to its end.
  bool run() {
    const std::vector<std::size_t> survivors = once();
    if (!stopped_ && survivors.size() > 1 && left() > 0) {
      race(survivors);
    }
    return !stopped_;
  }

  void store_in(std::vector<Candidate>& all) const {
    for (std::size_t i = 0; i < seconds_.size(); ++i) {
      if (seconds_[i] < std::numeric_limits<Seconds>::infinity()) {
        all[i].seconds = seconds_[i];
        all[i].basis = Basis::execution;
      }
    }
  }

 private:
  /// Asks no more once the answer was no.
  bool interrupted() {
    stopped_ = stopped_ || (options_.go_on && !options_.go_on());
    return stopped_;
  }
  [[nodiscard]] Seconds elapsed() const { return clock_.seconds(clock_.ticks() - begin_); }
  [[nodiscard]] Seconds left() const { return options_.time_budget - elapsed(); }

  Seconds execute(std::size_t i) {
    const std::int64_t start = clock_.ticks();
    blocked_[i].run(tensors_.tensor(Place::a), tensors_.tensor(Place::b), tensors_.tensor(Place::c), 1.0, 0.0);
    return clock_.seconds(clock_.ticks() - start);
  }

  /// Each once, the most promising first, as the budget may not do for all; those that aren't clearly slower than the best are given back.
  std::vector<std::size_t> once() {
    static constexpr double clearly_slower = 1.3;
    Seconds best = std::numeric_limits<Seconds>::infinity();
    for (std::size_t i = 0; i < blocked_.size() && !interrupted() && (i == 0 || left() > 0); ++i) {
      seconds_[i] = execute(i);
      best = std::min(best, seconds_[i]);
    }
    std::vector<std::size_t> survivors;
    for (std::size_t i = 0; i < blocked_.size(); ++i) {
      if (seconds_[i] <= clearly_slower * best) {
        survivors.push_back(i);
      }
    }
    return survivors;
  }

  void race(const std::vector<std::size_t>& survivors) {
    search::RaceOptions options;
    options.most_rounds = 40;
    options.limits.seconds = left();
    options.limits.clock = [this] { return elapsed(); };
    options.limits.interrupted = [this] { return interrupted(); };
    const search::RaceResult result = search::race(
        survivors, [this](std::size_t i) { return execute(i); }, options);
    for (const search::Standing& standing : result.standings) {
      if (standing.evaluations > 0) {
        seconds_[standing.configuration] = standing.median;
      }
    }
  }

  Workspace tensors_;
  const PlanOptions& options_;
  machine::WallClock clock_;
  std::int64_t begin_;
  std::vector<Blocked> blocked_;
  std::vector<Seconds> seconds_;  ///< by candidate; infinite if never executed
  bool stopped_ = false;
};

}  // namespace

bool execute_candidates(std::vector<Candidate>& all, const Contraction& contraction, const Folded& folded, const Machine& machine,
                        const PlanOptions& options) {
  Executions executions(all, contraction, folded, machine, options);
  const bool finished = executions.run();
  executions.store_in(all);
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& x, const Candidate& y) { return x.basis != y.basis ? x.basis > y.basis : x.seconds < y.seconds; });
  return finished;
}

}  // namespace flopcast::contract
