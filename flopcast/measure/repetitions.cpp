#include "flopcast/measure/repetitions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "flopcast/core/stopping.hpp"
#include "flopcast/measure/drift.hpp"

namespace flopcast::measure {
namespace {

/// Returns whether `count` values can have a median interval: the smallest and the largest of n values enclose the median with probability
/// 1 - 2^(1-n).
bool can_have_median_interval(std::size_t count, double confidence) {
  return 1 - std::ldexp(2, -static_cast<int>(std::min<std::size_t>(count, 1000))) >= confidence;
}

}  // namespace

std::int64_t repetitions(const StopRule& rule, Seconds time) {
  const double position =
      std::clamp(std::log(std::max(1e-12, time) / rule.short_call) / std::log(rule.long_call / rule.short_call), 0.0, 1.0);
  const auto span = static_cast<double>(rule.max_repetitions - rule.min_repetitions);
  return rule.max_repetitions - std::llround(position * span);
}

Repetitions::Repetitions(const StopRule& rule, std::size_t calls, std::int64_t batch) : rule_(rule), batch_(batch) {
  rule_.max_repetitions = std::max<std::int64_t>(1, rule_.max_repetitions);
  rule_.min_repetitions = std::clamp<std::int64_t>(rule_.min_repetitions, 1, rule_.max_repetitions);
  timings_.calls.resize(calls);
}

void Repetitions::add(std::span<const Seconds> seconds, Seconds at, Seconds spent, bool disturbed) {
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    timings_.calls[i].push_back({seconds[i], 1, at, disturbed});
  }
  slowness_.push_back(disturbed ? std::numeric_limits<double>::infinity() : 0);
  all_.push_back(std::accumulate(seconds.begin(), seconds.end(), 0.0));
  if (!disturbed) {
    counted_.push_back(all_.back());
  }
  spent_ += spent;
  ++made_;
}

void Repetitions::discard(std::int64_t repetition, double slowness) {
  const std::vector<Repetition>& first = timings_.calls.front();
  if (first[static_cast<std::size_t>(repetition)].discarded) {
    return;
  }
  slowness_[static_cast<std::size_t>(repetition)] = slowness;
  counted_.erase(counted_.begin() +
                 std::count_if(first.begin(), first.begin() + repetition, [](const Repetition& one) { return !one.discarded; }));
  for (std::vector<Repetition>& call : timings_.calls) {
    call[static_cast<std::size_t>(repetition)].discarded = true;
  }
}

bool Repetitions::wants_more() const {
  const auto counted = static_cast<std::int64_t>(counted_.size());
  if (made_ >= most() || (made_ > 0 && is_out_of_time(spent_, rule_.time_limit))) {
    return false;
  }
  return counted < rule_.min_repetitions || (counted < target() && !is_precise_enough());
}

std::int64_t Repetitions::expected() const {
  return wants_more() ? std::max(made_ + 1, made_ + target() - static_cast<std::int64_t>(counted_.size())) : made_;
}

std::int64_t Repetitions::target() const {
  if (all_.empty() || rule_.relative_interval > 0) {
    return rule_.max_repetitions;
  }
  return repetitions(rule_, median(counted_.empty() ? all_ : counted_) * static_cast<double>(batch_));
}

bool Repetitions::is_precise_enough() const {
  if (rule_.relative_interval <= 0) {
    return false;
  }
  if (rule_.of_mean) {
    Welford mean;
    std::for_each(counted_.begin(), counted_.end(), [&](Seconds seconds) { mean.add(seconds); });
    return is_precise(mean.mean_interval(rule_.confidence), mean.mean, rule_.relative_interval);
  }
  return can_have_median_interval(counted_.size(), rule_.confidence) &&
         is_precise(median_interval(counted_, rule_.confidence), median(counted_), rule_.relative_interval);
}

void Repetitions::count_least_disturbed() {
  std::vector<std::size_t> disturbed;
  for (std::size_t i = 0; i < static_cast<std::size_t>(made_); ++i) {
    if (timings_.calls.front()[i].discarded) {
      disturbed.push_back(i);
    }
  }
  std::stable_sort(disturbed.begin(), disturbed.end(), [&](std::size_t a, std::size_t b) {
    return slowness_[a] != slowness_[b] ? slowness_[a] < slowness_[b] : all_[a] < all_[b];
  });
  const auto missing = static_cast<std::size_t>(rule_.min_repetitions) - counted_.size();
  for (std::size_t i = 0; i < std::min(missing, disturbed.size()); ++i) {
    for (std::vector<Repetition>& call : timings_.calls) {
      call[disturbed[i]].discarded = false;
    }
  }
}

Timings Repetitions::take() {
  constexpr std::int64_t one_in = 4;
  const std::int64_t disturbed = made_ - static_cast<std::int64_t>(counted_.size());
  if (disturbed > 0 && static_cast<std::int64_t>(counted_.size()) < rule_.min_repetitions) {
    count_least_disturbed();
    timings_.state.noise = std::min(1.0, Drift::noise_of(all_));  // quartiles of a few times may have any ratio
    timings_.warnings.emplace_back(
        "nearly all repetitions were preempted or slowed down, and the least disturbed count: stop other programs and measure again");
  } else if (disturbed * one_in > made_) {
    timings_.warnings.emplace_back(
        "more than a quarter of the repetitions were preempted or slowed down and discarded: other programs are running");
  }
  return std::move(timings_);
}

}  // namespace flopcast::measure
