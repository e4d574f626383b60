#include "flopcast/contract/execute_candidates.hpp"

#include <algorithm>
#include <limits>

#include "flopcast/contract/validate.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/machine/clock.hpp"

namespace flopcast::contract {
namespace {

constexpr int fewest_rounds = 5, most_rounds = 40;
constexpr Seconds enough = 0.05;  ///< for all candidates together: short ones are executed more often, as they scatter more
constexpr double clearly_slower = 1.3;

/// Candidates in turn, and what came of them.
class Race {
 public:
  Race(const std::vector<Candidate>& all, const Contraction& contraction, const Folded& folded, const Machine& machine,
       const PlanOptions& options)
      : tensors_(contraction), options_(options), begin_(clock_.ticks()) {
    const std::size_t tried = std::min(all.size(), static_cast<std::size_t>(std::max(1, options.most_measured)));
    for (std::size_t i = 0; i < tried; ++i) {
      blocked_.emplace_back(folded, all[i].blocking, machine.find);
    }
    times_.resize(tried);
    run(0);  // what comes first also loads code and touches memory for the first time
  }

  /// Whether it ran to its end.
  bool run() {
    for (int round = 0; round < fewest_rounds || (round < most_rounds && elapsed() < enough); ++round) {
      for (std::size_t i = 0; i < blocked_.size(); ++i) {
        if (options_.go_on && !options_.go_on()) {
          return false;
        }
        if (is_worth_another(i, round)) {
          execute(i);
        }
      }
    }
    return true;
  }

  void store_in(std::vector<Candidate>& all) const {
    for (std::size_t i = 0; i < times_.size(); ++i) {
      if (!times_[i].empty()) {
        all[i].seconds = median(times_[i]);
        all[i].basis = Basis::execution;
      }
    }
  }

 private:
  [[nodiscard]] Seconds elapsed() const { return clock_.seconds(clock_.ticks() - begin_); }

  [[nodiscard]] bool is_worth_another(std::size_t i, int round) const {
    const bool over = elapsed() > options_.time_budget;
    const bool lost = round > 0 && (times_[i].empty() || times_[i].front() > clearly_slower * best_);
    return !lost && !(over && best_ < std::numeric_limits<Seconds>::infinity());
  }

  void run(std::size_t i) { blocked_[i].run(tensors_.tensor(Place::a), tensors_.tensor(Place::b), tensors_.tensor(Place::c), 1.0, 0.0); }

  void execute(std::size_t i) {
    const std::int64_t start = clock_.ticks();
    run(i);
    times_[i].push_back(clock_.seconds(clock_.ticks() - start));
    best_ = std::min(best_, times_[i].back());
  }

  Workspace tensors_;
  const PlanOptions& options_;
  machine::WallClock clock_;
  std::int64_t begin_;
  std::vector<Blocked> blocked_;
  std::vector<std::vector<Seconds>> times_;
  Seconds best_ = std::numeric_limits<Seconds>::infinity();
};

}  // namespace

bool execute_candidates(std::vector<Candidate>& all, const Contraction& contraction, const Folded& folded, const Machine& machine,
                        const PlanOptions& options) {
  promote_each_kernel(all, static_cast<std::size_t>(std::max(1, options.most_measured)));
  Race race(all, contraction, folded, machine, options);
  const bool finished = race.run();
  race.store_in(all);
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& x, const Candidate& y) { return x.basis != y.basis ? x.basis > y.basis : x.seconds < y.seconds; });
  return finished;
}

}  // namespace flopcast::contract
