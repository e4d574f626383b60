#include "flopcast/tasks/mpi/outcome.hpp"

#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

/// Returns whether the measurement can't be right: kernels took longer than the path on which they lie, or the interval reaches below zero.
/// The machine was noisy meanwhile.
bool is_noisy(const MpiConfiguration& each) noexcept {
  constexpr double max_coverage = 1.03;
  return is_covered(each) && (each.coverage > max_coverage || *each.half_width > *each.predicted);
}

bool is_better(const MpiConfiguration& one, const MpiConfiguration& other) noexcept {
  if (one.finalist != other.finalist) {
    return one.finalist;
  }
  if (!one.finalist && is_noisy(one) != is_noisy(other)) {
    return is_noisy(other);
  }
  return one.finalist ? *one.full_path < *other.full_path : *one.predicted < *other.predicted;
}

/// Returns whether the interval of `each` meets that of the best one, or the time of the best one's full execution.
bool ties(const MpiConfiguration& each, const MpiConfiguration& best) noexcept {
  return *each.predicted - *each.half_width <= (best.finalist ? *best.full_path : *best.predicted + *best.half_width);
}

}  // namespace

bool is_covered(const MpiConfiguration& configuration) noexcept {
  return configuration.verdict != MpiVerdict::failed && configuration.verdict != MpiVerdict::little_seen;
}

const MpiConfiguration& best_of(const std::vector<MpiConfiguration>& all, double min_coverage) {
  const MpiConfiguration* best = nullptr;
  for (const MpiConfiguration& each : all) {
    if (is_covered(each) && (best == nullptr || is_better(each, *best))) {
      best = &each;
    }
  }
  if (best == nullptr) {
    throw unusable_measurement(
        "in no configuration do kernels that flopcast sees make up {} % of the path, in the first {:.1f} %. BLAS may be linked statically. "
        "--min-coverage 0 predicts all the same",
        100 * min_coverage, 100 * all.front().coverage);
  }
  return *best;
}

MpiVerdict verdict_on(const MpiConfiguration& configuration, const MpiConfiguration& best) noexcept {
  return !is_covered(configuration)                           ? configuration.verdict
         : is_noisy(configuration) && !configuration.finalist ? MpiVerdict::undecided
         : &configuration == &best                            ? MpiVerdict::chosen
         : configuration.finalist                             ? MpiVerdict::finalist
         : ties(configuration, best)                          ? MpiVerdict::tie
                                                              : MpiVerdict::slower;
}

}  // namespace flopcast
