#include "flopcast/path/event_log.hpp"

#include <algorithm>
#include <bit>
#include <new>

namespace flopcast::path {

void EventLog::add(const Event& event) {
  if (events_.size() < limit_) {
    events_.push_back(event);
  } else {
    complete_ = false;
  }
}

void EventLog::reserve() noexcept {
  try {
    events_.reserve(limit_);
  } catch (const std::bad_alloc&) {  // it grows, then
  }
}

void EventLog::add_kernel(std::uint32_t kernel, Seconds seconds, bool estimated) {
  add({kernel | (estimated ? estimated_bit : 0), std::bit_cast<std::uint32_t>(static_cast<float>(seconds))});
}

void EventLog::add_jump(const Place& place) { add({static_cast<std::uint32_t>(place.rank) | jump_bit, place.position}); }

std::optional<Place> EventLog::walk(std::uint32_t position, const Visitor& visit) const {
  for (std::size_t i = std::min<std::size_t>(position, events_.size()); i > 0; --i) {
    const Event& event = events_[i - 1];
    if ((event.what & jump_bit) != 0) {
      return Place{static_cast<std::int32_t>(event.what & ~jump_bit), event.value};
    }
    visit(event.what & ~estimated_bit, static_cast<Seconds>(std::bit_cast<float>(event.value)), (event.what & estimated_bit) != 0);
  }
  return std::nullopt;
}

}  // namespace flopcast::path
