#include "flopcast/tasks/mpi/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>

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

std::string remark_on_undecided(const MpiTuning& tuning, bool has_clock) {
  const std::vector<MpiConfiguration>& all = tuning.configurations;
  const auto has_verdict = [](MpiVerdict verdict) { return [verdict](const MpiConfiguration& each) { return each.verdict == verdict; }; };
  const auto undecided = std::count_if(all.begin(), all.end(), has_verdict(MpiVerdict::undecided));
  if (undecided == 0) {
    return "";
  }
  const auto chosen = std::find_if(all.begin(), all.end(), has_verdict(MpiVerdict::chosen));
  const auto faster = chosen == all.end() ? 0 : std::count_if(all.begin(), all.end(), [&](const MpiConfiguration& each) {
    return each.verdict == MpiVerdict::undecided && *each.predicted < chosen->full_path.value_or(*chosen->predicted);
  });
  return fmt::format("{} {} undecided, because kernels took longer than the path, or half of the interval is longer than the time{}. {}",
                     counted(undecided, "configuration"), undecided == 1 ? "is" : "are",
                     faster > 0 ? fmt::format("; {} of them predicted to be faster than the chosen one", faster) : "",
                     has_clock && tuning.clock != protocol::MpiClock::cpu ? "Tune again when the machine is idle, or with --clock cpu"
                                                                          : "Tune again when the machine is idle");
}

}  // namespace flopcast
