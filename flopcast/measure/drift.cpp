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
}

Seconds Drift::median_time() const { return times_.empty() ? 0 : median(times_); }

Seconds Drift::time_near(Seconds at) const {
  constexpr std::size_t neighbours = 5;
  if (times_.empty()) {
    return 0;
  }
  auto last = static_cast<std::size_t>(std::lower_bound(moments_.begin(), moments_.end(), at) - moments_.begin());
  std::size_t first = last;
  while (last - first < std::min(neighbours, times_.size())) {
    const bool is_earlier_nearer = last == times_.size() || (first > 0 && at - moments_[first - 1] <= moments_[last] - at);
    is_earlier_nearer ? --first : ++last;
  }
  return median(std::span(times_).subspan(first, last - first));
}

}  // namespace flopcast::measure
