#include "flopcast/path/event_log.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <new>

namespace flopcast::path {

namespace {

/// A fault for every 512 events would take longer than noting them.
void ask_for_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* aligned = memory;
  std::size_t left = bytes;
  if (std::align(page, page, aligned, left) != nullptr) {
    madvise(aligned, left / page * page, MADV_HUGEPAGE);
  }
#endif
}

}  // namespace

void EventLog::reserve() noexcept {
  try {
    events_.reserve(limit_);
    ask_for_huge_pages(events_.data(), limit_ * sizeof(Event));
  } catch (const std::bad_alloc&) {  // it grows, then
  }
}

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
