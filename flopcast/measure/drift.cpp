#include "flopcast/measure/drift.hpp"

#include <algorithm>
#include <cassert>
#include <span>

#include "flopcast/core/statistics.hpp"

namespace flopcast::measure {

void Drift::add(Seconds at, Seconds time) {
  assert(moments_.empty() || at >= moments_.back());
  moments_.push_back(at);
  times_.push_back(time);
  sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), time), time);
}

std::size_t Drift::first_after(Seconds at) const {
  return static_cast<std::size_t>(std::lower_bound(moments_.begin(), moments_.end(), at) - moments_.begin());
}

Seconds Drift::calm_time() const { return sorted_.empty() ? 0 : sorted_[(sorted_.size() - 1) / 4]; }

double Drift::slowness(std::size_t reference) const {
  const Seconds calm = calm_time();
  return calm > 0 ? times_[reference] / calm : 1;
}

double Drift::slowness(Seconds from, Seconds to) const {
  constexpr Seconds reach = 0.1;
  const std::size_t before = first_after(from);
  const std::size_t after = first_after(to);
  if (before == 0 || after == times_.size() || moments_[after] - moments_[before - 1] > reach) {
    return 0;
  }
  return std::max(slowness(before - 1), slowness(after));
}

Seconds Drift::median_time() const {
  const auto end = std::lower_bound(sorted_.begin(), sorted_.end(), slow * calm_time());
  return end == sorted_.begin() ? calm_time() : median(std::span(sorted_.begin(), end));
}

Seconds Drift::time_near(Seconds at) const {
  constexpr std::size_t neighbours = 5;
  const std::size_t after = first_after(at);
  const auto is_slow = [&](std::size_t reference) { return slowness(reference) >= slow; };
  const bool is_calm = (after == 0 || !is_slow(after - 1)) && (after == times_.size() || !is_slow(after));
  const auto counts = [&](std::size_t reference) { return !is_calm || !is_slow(reference); };
  std::vector<Seconds> near;
  std::size_t earlier = after;  // the references before this one and from `later` on are to be looked at
  std::size_t later = after;
  while (near.size() < neighbours && (earlier > 0 || later < times_.size())) {
    const bool is_earlier_nearer = later == times_.size() || (earlier > 0 && at - moments_[earlier - 1] <= moments_[later] - at);
    const std::size_t next = is_earlier_nearer ? --earlier : later++;
    if (counts(next)) {
      near.push_back(times_[next]);
    }
  }
  return near.empty() ? 0 : median(near);
}

}  // namespace flopcast::measure
