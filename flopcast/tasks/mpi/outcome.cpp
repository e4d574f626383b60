#include "flopcast/tasks/mpi/outcome.hpp"

#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

bool is_better(const MpiOutcome& one, const MpiOutcome& other) noexcept {
  if (one.finalist != other.finalist) {
    return one.finalist;
  }
  if (!one.finalist && is_restless(one) != is_restless(other)) {
    return is_restless(other);
  }
  return one.finalist ? *one.full_path < *other.full_path : one.predicted < other.predicted;
}

/// Returns whether the interval of `outcome` meets that of the best one, or the time of the best one's full execution.
bool ties(const MpiOutcome& outcome, const MpiOutcome& best) noexcept {
  return outcome.predicted - outcome.half_width <= (best.finalist ? *best.full_path : best.predicted + best.half_width);
}

}  // namespace

bool is_restless(const MpiOutcome& outcome) noexcept {
  constexpr double max_coverage = 1.03;
  return outcome.covered && (outcome.coverage > max_coverage || outcome.half_width > outcome.predicted);
}

const MpiOutcome& best_of(const std::vector<MpiOutcome>& outcomes, double min_coverage) {
  const MpiOutcome* best = nullptr;
  for (const MpiOutcome& outcome : outcomes) {
    if (outcome.covered && (best == nullptr || is_better(outcome, *best))) {
      best = &outcome;
    }
  }
  if (best == nullptr) {
    throw unusable_measurement(
        "in no configuration do kernels that flopcast sees make up {} % of the path, in the first {:.1f} %. BLAS may be linked statically. "
        "--min-coverage 0 predicts all the same",
        100 * min_coverage, 100 * outcomes.front().coverage);
  }
  return *best;
}

MpiVerdict verdict_on(const MpiOutcome& outcome, const MpiOutcome& best) noexcept {
  return outcome.failed                              ? MpiVerdict::failed
         : !outcome.covered                          ? MpiVerdict::little_seen
         : is_restless(outcome) && !outcome.finalist ? MpiVerdict::undecided
         : &outcome == &best                         ? MpiVerdict::chosen
         : outcome.finalist                          ? MpiVerdict::finalist
         : ties(outcome, best)                       ? MpiVerdict::tie
                                                     : MpiVerdict::slower;
}

}  // namespace flopcast
