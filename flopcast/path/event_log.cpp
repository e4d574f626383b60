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

std::optional<LogCursor> EventLog::walk(std::uint32_t position, const Visitor& visit) const {
  for (std::size_t i = std::min<std::size_t>(position, events_.size()); i > 0; --i) {
    const PathEvent& event = events_[i - 1];
    if ((event.what & jump_bit) != 0) {
      return LogCursor{static_cast<std::int32_t>(event.what & ~jump_bit), event.value};
    }
    visit(event.what & ~estimated_bit, static_cast<Seconds>(std::bit_cast<float>(event.value)), (event.what & estimated_bit) != 0);
  }
  return std::nullopt;
}

}  // namespace flopcast::path
