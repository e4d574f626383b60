#include "flopcast/preload/mpi/acknowledgements.hpp"

#include <algorithm>

#include "flopcast/preload/mpi/session_clock.hpp"

namespace flopcast::preload::mpi {

void Acknowledgements::send(Channel& channel, int source, std::int64_t bytes) {
  if (in_full() && bytes >= min_bytes && channel.has(source) && channel.may_acknowledge(source)) {
    acknowledge(ledger_.path_to_send(), propagation_.envelope(bytes, 0, false), channel.world_rank(source));
    collect(bytes);
  }
}

void Acknowledgements::collect(std::int64_t bytes) {
  constexpr std::uint32_t rarely = 16;
  if (!in_full() || bytes < min_bytes || ++messages_ % rarely != 0) {
    return;
  }
  while (const Arrival* arrival = next_acknowledgement()) {
    if (!collected_ || collected_->epoch != arrival->epoch || collected_->mark.along.time < arrival->mark.along.time) {
      collected_ = *arrival;
    }
  }
}

/// Acknowledgements are sent before the receive, but an MPI may let another of its own messages overtake them.
Seconds Acknowledgements::explain_wait(Seconds surplus, bool is_expected) {
  constexpr Seconds max_polling = 2e-5;  // the acknowledgement was sent earlier, so a few polls are enough
  constexpr double share = 0.25;
  if (!in_full()) {
    ledger_.waited(surplus);
    return 0;
  }
  bool explained = false;
  if (surplus > 0 && collected_) {
    ledger_.note_late_receiver(collected_->mark.place.rank);
    propagation_.follow(*collected_);
    collected_.reset();
    explained = true;
  }
  const Seconds end = SessionClock::wall() + (is_expected ? std::min(share * surplus, max_polling) : 0);
  while (surplus > 0) {
    if (const Arrival* acknowledgement = next_acknowledgement()) {
      ledger_.note_late_receiver(acknowledgement->mark.place.rank);
      propagation_.follow(*acknowledgement);
      explained = true;
    } else if (explained || SessionClock::wall() >= end) {
      break;
    }
  }
  if (explained) {
    ledger_.waited(surplus);
  }
  return explained ? 0 : surplus;
}

}  // namespace flopcast::preload::mpi
