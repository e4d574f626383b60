#include "flopcast/selective/decision_rules.hpp"

#include <algorithm>

namespace flopcast::selective {
namespace {

/// Returns the time of kernels that must have been executed before a kernel of `seconds` is timed as in the program. The data of a long one
/// come round in the shared caches after a few such kernels. One that is bound by memory needs more time until its data lie where they do
/// in the program. Products that stream through the last-level cache were 1.6 times as slow at first, 1.2 times after 10 ms, and as in the
/// program after 15 ms.
Seconds recovery(Seconds seconds, Seconds min_recovery, bool bound_by_memory) {
  constexpr Seconds max_recovery = 1e-2;
  constexpr Seconds max_by_memory = 2e-2;
  return bound_by_memory ? std::clamp(10 * seconds, min_recovery, max_by_memory) : std::clamp(3 * seconds, min_recovery, max_recovery);
}

}  // namespace

/// A path that has just begun is expected to be about as long as the one before it. No kernel takes more than an eighth of the budget: a
/// larger one is executed and makes the model better for others.
bool ErrorBudget::spend(std::int64_t predicted, Seconds half_width, Seconds path) noexcept {
  constexpr double share = 0.125;
  const double more = static_cast<double>(2 * predicted + 1) * half_width * half_width;
  const Seconds budget = tolerance_ * std::max(path, last_path_ / 2);
  if (more > share * budget * budget || spent_squares_ + more > budget * budget) {
    return false;
  }
  spent_squares_ += more;
  return true;
}

void PriorTrust::note(PriorAgreement& routine, bool agrees) noexcept {
  for (PriorAgreement* each : {&all_, &routine}) {
    ++(agrees ? each->agreed : each->differed);
  }
}

bool PriorTrust::has_drifted(const PriorAgreement& routine) const noexcept {
  return routine.differed > routine.agreed || all_.differed >= all_.agreed + several;
}

bool PriorTrust::holds_for(const PriorAgreement& routine, bool windows_check) const noexcept {
  const bool is_checked = windows_check || (all_.agreed >= several && routine.agreed > 0);
  return is_checked && !has_drifted(routine);
}

/// A kernel that is slower than the fastest is bound by memory, which it shares with other cores.
bool ProgramContext::is_bound_by_memory(const KernelRecord& kernel, Seconds seconds) const {
  constexpr double share_of_best = 0.5;
  return kernel.key.kind == KernelKind::computation && kernel.flops < share_of_best * best_rate_ * seconds;
}

/// A long kernel that is bound by arithmetic takes the same time whatever lies in the caches and whatever other cores do.
bool ProgramContext::executed(const KernelRecord& kernel, Seconds seconds) {
  constexpr Seconds min_rated = 1e-4;
  constexpr Seconds min_independent = 5e-3;
  best_rate_ = seconds >= min_rated ? std::max(best_rate_, kernel.flops / seconds) : best_rate_;
  const bool by_memory = is_bound_by_memory(kernel, seconds);
  const bool is_independent = seconds >= min_independent && kernel.flops > 0 && !by_memory;
  const bool in_context = is_independent || since_skipped_ >= recovery(seconds, min_recovery, by_memory);
  since_skipped_ += seconds;
  return in_context;
}

}  // namespace flopcast::selective
