#include "flopcast/selective/execution_windows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace flopcast::selective {
namespace {

/// Looks random in [0, 1), and is the same in every process (the golden section's multiples: Knuth, "Sorting and searching", 6.4).
double place_in_period(std::uint64_t period) noexcept {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = (period + 1) * odd;
  mixed ^= mixed >> 29U;
  mixed *= odd;
  return std::ldexp(static_cast<double>(mixed >> 32U), -32);
}

bool takes_windows(Policy policy) {
  return policy != Policy::full && policy != Policy::eager && policy != Policy::random && policy != Policy::rehearsal;
}

}  // namespace

ExecutionWindows ExecutionWindows::within(Seconds path) const {
  constexpr Seconds shortest = 2e-3;  // no caches recover in less
  constexpr double max_of_beginning = 0.015;
  const double shorter = std::min(1.0, path / period_);
  return ExecutionWindows(period_ * shorter, std::min(width_, std::max(width_ * shorter, shortest)),
                          std::min(beginning_, max_of_beginning * path));
}

Seconds ExecutionWindows::left(Seconds path, Seconds before) const noexcept {
  const double periods = std::floor((before + path) / period_);
  const Seconds begin = place_in_period(static_cast<std::uint64_t>(periods)) * (period_ - width_);
  const Seconds at = before + path - periods * period_;
  const Seconds of_period = at >= begin ? begin + width_ - at : 0;
  return std::max({of_period, beginning_ - path, 0.0});
}

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
