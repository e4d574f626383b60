#include "flopcast/selective/window_schedule.hpp"

#include <algorithm>

namespace flopcast::selective {
namespace {

bool takes_windows(Policy policy) {
  return policy != Policy::full && policy != Policy::eager && policy != Policy::random && policy != Policy::rehearsal;
}

}  // namespace

WindowSchedule::WindowSchedule(Policy policy, std::optional<ExecutionWindows> windows)
    : wanted_(windows), windows_(takes_windows(policy) ? windows : std::optional<ExecutionWindows>()) {}

void WindowSchedule::begin_execution(Policy policy, Seconds before, bool learns_from_full) {
  windows_.reset();
  if (wanted_ && (takes_windows(policy) || (learns_from_full && policy == Policy::full))) {
    const ExecutionWindows spaced = wanted_->rarer(rarer_);
    windows_ = before > 0 ? spaced.within(before) : spaced;
  }
  kernel_seconds_ = known_seconds_ = 0;
  before_ += before;
}

void WindowSchedule::space(double share) noexcept {
  constexpr double nearly_all = 0.9;
  constexpr double min_known = 0.75;  // unknown kernels are executed in any case, and teach as much as a window does
  constexpr double max_factor = 4;    // where all is known, mostly from dense windows: another window adds little to the means
  rarer_ = share >= nearly_all ? std::min(2 * rarer_, max_factor) : share >= min_known ? rarer_ : std::max(rarer_ / 2, 1.0);
}

}  // namespace flopcast::selective
