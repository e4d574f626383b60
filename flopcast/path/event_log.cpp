#include "flopcast/path/event_log.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace flopcast::path {

void EventLog::reserve() noexcept {
  try {
    events_.reserve(limit_);
#if defined(MADV_HUGEPAGE)  // a fault for every 512 events takes longer than writing them
    madvise(events_.data(), limit_ * sizeof(PathEvent), MADV_HUGEPAGE);
#endif
  } catch (const std::bad_alloc&) {  // it grows in that case
  }
}

std::optional<EventLog::Jump> EventLog::walk(std::uint32_t position, const Visitor& visit) const {
  Seconds time = 0;
  for (std::size_t i = std::min<std::size_t>(position, events_.size()); i > 0; --i) {
    const PathEvent& event = events_[i - 1];
    const auto seconds = static_cast<Seconds>(std::bit_cast<float>(event.value));
    if (event.what == (jump_bit | estimated_bit)) {
      time = seconds;
    } else if ((event.what & jump_bit) != 0) {
      return Jump{{static_cast<std::int32_t>(event.what & ~jump_bit), event.value}, time};
    } else {
      visit({event.what & ~(estimated_bit | part_bit), seconds, (event.what & estimated_bit) != 0, (event.what & part_bit) != 0});
    }
  }
  return std::nullopt;
}

}  // namespace flopcast::path
