#include "flopcast/selective/kernel_times.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace flopcast::selective {

void KernelTimes::know(const PriorKernel& prior, bool trusted) {
  prior_ = prior;
  trusted_ = trusted && prior.times.count > 0;
}

void KernelTimes::know_everywhere(const KernelKey& key, const KernelStatistics& times) {
  prior_ = {key, times, 0, 0};
  everywhere_ = true;
  deviant_ = {};
}

void KernelTimes::begin_run() {
  prior_.times.merge(in_context_);
  in_context_ = others_ = out_of_context_ = {};
}

/// The last time of an execution is no reason to check again in the next.
void KernelTimes::begin_execution() noexcept {
  deviant_ = {};
  before_ = in_context_;
}

void KernelTimes::doubt_first_execution() {
  out_of_context_.merge(std::exchange(in_context_, {}));
  others_ = {};
  outliers_ = recent_count_ = 0;
}

bool KernelTimes::is_doubtful(const KernelStatistics& times) const noexcept {
  constexpr std::int64_t many = 16;
  return times.count > 0 && times.count < many && times.mean > max_plausible_;
}

bool KernelTimes::ends_doubt(Seconds seconds) const noexcept { return seconds <= max_plausible_ && is_doubtful(in_context_); }

bool KernelTimes::agrees(const KernelStatistics& known, Seconds seconds) noexcept {
  constexpr double deviations = 4;
  return std::abs(seconds - known.mean) <= std::max(deviations * std::sqrt(known.variance()), min_drift * known.mean);
}

KernelStatistics KernelTimes::in_program() const {
  constexpr std::int64_t enough = 8;  // times of this run, which are the best ones
  if (everywhere_) {
    return prior_.times;
  }
  KernelStatistics all = in_context_;
  if (all.count < enough && (all.count == 0 || agrees(others_, all.mean))) {
    all.merge(others_);
  }
  const KernelStatistics& measured = all.count > 0 ? all : out_of_context_;
  if (measured.count > 0 ? all.count < enough && agrees(prior_.times, measured.mean) : trusted_) {
    all.merge(prior_.times);
  }
  return all;
}

KernelStatistics KernelTimes::known() const {
  const KernelStatistics all = in_program();
  return all.count > 0 ? all : out_of_context_;
}

KernelStatistics KernelTimes::known_before() const {
  const KernelStatistics all = in_program();
  return all.count > 0 ? all : prior_.times;
}

bool KernelTimes::learn(Seconds seconds, std::int64_t min_count) {
  if (ends_doubt(seconds)) {
    in_context_ = before_ = deviant_ = {};
  }
  const KernelStatistics known = in_program();
  if (known.count < min_count || agrees(known, seconds)) {
    deviant_ = {};
    in_context_.add(seconds);
    return false;
  }
  deviant_.add(seconds);
  if (deviant_.count < min_count) {
    return false;
  }
  in_context_ = std::exchange(deviant_, {});
  prior_.times = others_ = before_ = {};
  trusted_ = everywhere_ = false;
  return true;
}

void KernelTimes::learn_in_context(Seconds seconds, std::int64_t min_count) {
  constexpr double very_much = 4;
  constexpr std::int64_t share = 8;
  KernelStatistics& times = in_context_;
  if ((times.count > 0 && times.count < min_count && seconds * very_much < times.mean) || ends_doubt(seconds)) {
    times = before_ = {};
    recent_count_ = 0;
  }
  const double deviation = std::sqrt(times.variance());
  if (times.count > 0 && seconds > times.mean + std::max(very_much * deviation, times.mean) && ++outliers_ * share <= times.count + share) {
    return;
  }
  times.add(seconds);
  recent_[recent_count_++ % recent_.size()] = static_cast<float>(seconds);
}

Seconds KernelTimes::varied(Seconds expected, std::minstd_rand& chance) const {
  const std::size_t count = std::min<std::size_t>(recent_count_, recent_.size());
  const double sum = std::accumulate(recent_.begin(), recent_.begin() + static_cast<std::ptrdiff_t>(count), 0.0);
  if (count < 2 || !(sum > 0)) {  // times below the clock's resolution don't vary
    return expected;
  }
  const double one = recent_[(chance() >> 8U) % count];
  return expected * one * static_cast<double>(count) / sum;
}

}  // namespace flopcast::selective
