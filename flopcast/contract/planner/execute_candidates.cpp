#include "flopcast/contract/planner/execute_candidates.hpp"

#include <algorithm>
#include <limits>

#include "flopcast/contract/algorithms/validate.hpp"
#include "flopcast/contract/planner/benchmark_candidates.hpp"
#include "flopcast/contract/planner/tiled_contraction.hpp"
#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/search/race.hpp"

namespace flopcast::contract {
namespace {

/// Returns whether an execution takes so much of the budget that none is worth repeating and only a few candidates are executed.
bool is_dear(Seconds execution, const PlanOptions& options) {
  constexpr double share = 1.0 / 8;
  return execution > share * options.time_budget;
}

/// Executes candidates on tensors of its own and keeps their times.
class Executions {
 public:
  Executions(const std::vector<Candidate>& all, const Contraction& contraction, const Folded& folded, const Machine& machine,
             const PlanOptions& options)
      : tensors_(contraction), all_(all), folded_(folded), machine_(machine), options_(options), begin_(clock_.ticks()) {
    take(0);
    const Seconds first = execute(0);  // the first execution also loads code and touches memory for the first time
    if (is_dear(first, options)) {
      seconds_[0] = first;
    }
  }

  /// Runs all phases. Returns false if they were interrupted.
  bool run() {
    once();
    look_again();
    explore();
    const std::vector<std::size_t> survivors = not_clearly_slower();
    if (!stopped_ && survivors.size() > 1 && left() > 0) {
      race(survivors);
    }
    return !stopped_;
  }

  void store_in(std::vector<Candidate>& all) const {
    for (std::size_t i = 0; i < seconds_.size(); ++i) {
      if (seconds_[i] < std::numeric_limits<Seconds>::infinity()) {
        all[tried_[i]].seconds = seconds_[i];
        all[tried_[i]].basis = Basis::execution;
      }
    }
  }

 private:
  /// Returns whether options.cancelled has returned true; then it isn't called again.
  bool interrupted() {
    stopped_ = stopped_ || options_.cancelled();
    return stopped_;
  }
  [[nodiscard]] Seconds elapsed() const { return clock_.seconds(clock_.ticks() - begin_); }
  [[nodiscard]] Seconds left() const { return options_.time_budget - elapsed(); }

  void take(std::size_t position) {
    tried_.push_back(position);
    tiled_.emplace_back(folded_, all_[position].tiling, machine_.find);
    seconds_.push_back(std::numeric_limits<Seconds>::infinity());
  }
  [[nodiscard]] bool is_tried(std::size_t position) const { return std::find(tried_.begin(), tried_.end(), position) != tried_.end(); }
  [[nodiscard]] std::size_t fastest() const {
    return static_cast<std::size_t>(std::min_element(seconds_.begin(), seconds_.end()) - seconds_.begin());
  }

  void run_one(std::size_t i) {
    tiled_[i].run(tensors_.tensor(Operand::a), tensors_.tensor(Operand::b), tensors_.tensor(Operand::c), 1.0, 0.0);
  }

  Seconds execute(std::size_t i) {
    const std::int64_t start = clock_.ticks();
    run_one(i);
    return clock_.seconds(clock_.ticks() - start);
  }

  /// Executes each candidate once, the most promising first, because the budget may not suffice for all: preparing the offset tables alone
  /// may take tenths of seconds each.
  void once() {
    const std::size_t most = std::min(all_.size(), static_cast<std::size_t>(std::max(1, options_.max_measured)));
    for (std::size_t i = 0; i < most && !interrupted() && (i == 0 || left() > 0); ++i) {
      if (i > 0) {
        take(i);
      }
      if (seconds_[i] == std::numeric_limits<Seconds>::infinity()) {
        seconds_[i] = execute(i);
      }
    }
  }

  /// Executes again, while there is time, candidates that a single disturbance may have made clearly slower.
  void look_again() {
    constexpr double disturbed = 3;
    const Seconds best = seconds_[fastest()];
    for (std::size_t i = 0; i < tiled_.size() && left() > options_.time_budget / 2 && !interrupted(); ++i) {
      if (seconds_[i] > clearly_slower * best && seconds_[i] <= disturbed * best) {
        seconds_[i] = std::min(seconds_[i], execute(i));
      }
    }
  }

  /// Executes neighbours of the fastest candidate, and of each one that turns out faster, because the model hardly ranks tiles of the same
  /// kernel. At most as many are executed as before, in half of the budget.
  void explore() {
    const std::size_t most = 2 * tiled_.size();
    for (std::size_t center = tiled_.size(); center != fastest();) {
      center = fastest();
      for (std::size_t position = 0; position < all_.size(); ++position) {
        if (is_tried(position) || !are_neighbours(all_[position].tiling, all_[tried_[center]].tiling)) {
          continue;
        }
        if (interrupted() || left() < options_.time_budget / 2 || tiled_.size() >= most) {
          return;
        }
        take(position);
        seconds_.back() = execute(tiled_.size() - 1);
      }
    }
  }

  /// Returns the fastest few, which are not clearly slower than the best.
  [[nodiscard]] std::vector<std::size_t> not_clearly_slower() const {
    constexpr std::size_t most = 6;
    std::vector<std::size_t> survivors;
    for (std::size_t i = 0; i < seconds_.size(); ++i) {
      if (seconds_[i] <= clearly_slower * seconds_[fastest()]) {
        survivors.push_back(i);
      }
    }
    std::stable_sort(survivors.begin(), survivors.end(), [&](std::size_t x, std::size_t y) { return seconds_[x] < seconds_[y]; });
    survivors.resize(std::min(survivors.size(), most));
    return survivors;
  }

  void race(const std::vector<std::size_t>& survivors) {
    search::RaceOptions options;
    options.max_rounds = 40;
    options.limits.seconds = left();
    options.limits.clock = [this] { return elapsed(); };
    options.limits.interrupted = [this] { return interrupted(); };
    const search::RaceResult result = search::race(
        survivors, [this](std::size_t i) { return execute(i); }, options);
    for (const search::CandidateState& candidate : result.candidates) {
      if (candidate.evaluations > 0) {
        seconds_[candidate.configuration] = candidate.median;
      }
    }
  }

  static constexpr double clearly_slower = 1.3;

  Workspace tensors_;
  const std::vector<Candidate>& all_;
  const Folded& folded_;
  const Machine& machine_;
  const PlanOptions& options_;
  machine::WallClock clock_;
  std::int64_t begin_;
  std::vector<std::size_t> tried_;       ///< positions in all_
  std::vector<TiledContraction> tiled_;  ///< the prepared candidates of tried_
  std::vector<Seconds> seconds_;         ///< their times; infinite if never executed
  bool stopped_ = false;
};

}  // namespace

bool execute_candidates(std::vector<Candidate>& all, const Contraction& contraction, const Folded& folded, const Machine& machine,
                        const TileRates& rates, const PlanOptions& options) {
  promote_each_kernel(all, static_cast<std::size_t>(std::max(1, options.max_measured)));
  // If many candidates are executed anyway, the model's order suffices. If only few can be executed, samples select them within tens of
  // milliseconds.
  if (is_dear(all.front().seconds, options) &&
      !benchmark_candidates(all, folded, machine.environment, rates, machine.find, options.cancelled)) {
    return false;
  }
  Executions executions(all, contraction, folded, machine, options);
  const bool finished = executions.run();
  executions.store_in(all);
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& x, const Candidate& y) { return x.basis != y.basis ? x.basis > y.basis : x.seconds < y.seconds; });
  return finished;
}

}  // namespace flopcast::contract
