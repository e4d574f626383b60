#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "flopcast/support/page_allocator.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::preload::mpi {

/// An event of a process: a kernel, a region, a call of MPI, or a part of the critical path.
struct TimelineEvent {
  Seconds begin = 0;  ///< wall time since the start
  float seconds = 0;
  std::uint32_t what = 0;  ///< a kernel's number, or `call_bit` and the number of an MPI routine
  static constexpr std::uint32_t call_bit = 1U << 31U;
};

/// Events of a process in fixed memory. When the memory is full, only every second short event is kept from there on and from before, again
/// and again, while all long ones are kept. The length from which on an event is long grows if these are too many.
class TimelineEvents {
 public:
  /// Reserves memory for `limit` events, and forgets all; 0: none is kept.
  void begin(std::size_t limit) {
    limit_ = limit;
    events_.clear();
    events_.reserve(limit);
    stride_ = 1;
    omitted_ = short_ones_ = 0;
    long_ = shortest_long;
  }
  void add(Seconds begin, Seconds seconds, std::uint32_t what) {
    if (limit_ == 0) {
      return;
    }
    if (!is_long(seconds) && short_ones_++ % stride_ != 0) {
      ++omitted_;
      return;
    }
    if (events_.size() == limit_) {
      thin_to(limit_ / 2);
    }
    events_.push_back({begin, static_cast<float>(seconds), what});
  }
  /// Keeps at most `limit` events, which isn't 0.
  void thin_to(std::size_t limit) {
    while (events_.size() > limit) {
      const std::size_t before = events_.size();
      std::size_t number = 0;
      std::erase_if(events_, [&](const TimelineEvent& event) { return !is_long(event.seconds) && number++ % 2 == 1; });
      omitted_ += before - events_.size();
      stride_ *= events_.size() < before ? 2 : 1;
      long_ = before - events_.size() < before / 4 ? 2 * long_ : long_;
    }
  }
  [[nodiscard]] const PageVector<TimelineEvent>& all() const noexcept { return events_; }
  /// Returns the number of events that were not kept.
  [[nodiscard]] std::size_t omitted() const noexcept { return omitted_; }

 private:
  static constexpr Seconds shortest_long = 1e-4;
  [[nodiscard]] bool is_long(Seconds seconds) const noexcept { return seconds >= long_; }

  std::size_t limit_ = 0;
  PageVector<TimelineEvent> events_;
  Seconds long_ = shortest_long;  ///< duration of the shortest event that counts as long
  std::size_t stride_ = 1, short_ones_ = 0, omitted_ = 0;
};

}  // namespace flopcast::preload::mpi
