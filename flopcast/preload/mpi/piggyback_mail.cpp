#include "flopcast/preload/mpi/piggyback_mail.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "flopcast/preload/mpi/piggyback.hpp"
#include "flopcast/preload/mpi/process_values.hpp"

namespace flopcast::preload::mpi {

/// Contents of a message; only the existing counts are sent.
struct Parcel {
  Piggyback piggyback;
  std::array<selective::KernelCount, Channel::max_counts> counts;
};
static_assert(sizeof(Parcel) == sizeof(Piggyback) + Channel::max_counts * sizeof(selective::KernelCount));

struct PiggybackMail::Outgoing {
  Parcel parcel;
  MPI_Request request = MPI_REQUEST_NULL;
};

namespace {

bool is_complete(MPI_Request& request) {
  int done = 1;
  if (request != MPI_REQUEST_NULL) {
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  return done != 0;
}

}  // namespace

PiggybackMail::PiggybackMail(MPI_Comm world) : world_(world) {
  const int processes = processes_in(world);
  peers_.resize(static_cast<std::size_t>(processes));
}

PiggybackMail::~PiggybackMail() = default;

/// Returns a slot for a message. The oldest slot is tested only when this many are used, because it and its neighbours are then
/// free.
PiggybackMail::Outgoing& PiggybackMail::free_slot() {
  constexpr std::size_t min_slots = 32;
  if (outgoing_.size() >= min_slots && is_complete(outgoing_.front().request)) {
    outgoing_.splice(outgoing_.end(), outgoing_, outgoing_.begin());
  } else {
    outgoing_.emplace_back();
  }
  return outgoing_.back();
}

bool PiggybackMail::may_send_piggyback(int world_rank) {
  constexpr std::uint32_t max_ahead = 4096;
  Peer& peer = peers_[static_cast<std::size_t>(world_rank)];
  while (peer.sent - peer.confirmed >= max_ahead && sender(MailTag::credit, world_rank)) {
    Arrival credit;
    receive(MailTag::credit, world_rank, credit);
    peer.confirmed = credit.number;
  }
  return peer.sent - peer.confirmed < max_ahead;
}

void PiggybackMail::send(MailTag kind, const Piggyback& piggyback, const selective::KernelCounts& counts, int world_rank) {
  Outgoing& slot = free_slot();
  peers_[static_cast<std::size_t>(world_rank)].sent += kind == MailTag::piggyback ? 1 : 0;
  slot.parcel.piggyback = piggyback;
  const std::size_t count = std::min(counts.size(), slot.parcel.counts.size());
  std::copy_n(counts.begin(), count, slot.parcel.counts.begin());
  const std::size_t bytes = sizeof(Piggyback) + count * sizeof(selective::KernelCount);
  PMPI_Isend(&slot.parcel, static_cast<int>(bytes), MPI_BYTE, world_rank, static_cast<int>(kind), world_, &slot.request);
}

void PiggybackMail::receive(MailTag kind, int world_rank, Arrival& into) {
  Parcel parcel;
  MPI_Status status;
  PMPI_Recv(&parcel, static_cast<int>(sizeof parcel), MPI_BYTE, world_rank, static_cast<int>(kind), world_, &status);
  int bytes = 0;
  PMPI_Get_count(&status, MPI_BYTE, &bytes);
  static_cast<Piggyback&>(into) = parcel.piggyback;
  const std::size_t count = (static_cast<std::size_t>(bytes) - sizeof(Piggyback)) / sizeof(selective::KernelCount);
  into.counts.assign(parcel.counts.begin(), parcel.counts.begin() + static_cast<std::ptrdiff_t>(count));
  constexpr std::uint32_t confirmed_together = 1024;
  std::uint32_t& received = peers_[static_cast<std::size_t>(world_rank)].received;
  if (kind == MailTag::piggyback && ++received % confirmed_together == 0) {
    send(MailTag::credit, {{}, {}, received}, {}, world_rank);
  }
}

std::optional<int> PiggybackMail::sender(MailTag kind, int world_rank) {
  int there = 0;
  MPI_Status status;
  PMPI_Iprobe(world_rank, static_cast<int>(kind), world_, &there, &status);
  return there != 0 ? std::optional(status.MPI_SOURCE) : std::nullopt;
}

void PiggybackMail::close() noexcept {
  for (const MailTag kind : {MailTag::piggyback, MailTag::acknowledgement, MailTag::credit}) {
    while (const std::optional<int> from = sender(kind, MPI_ANY_SOURCE)) {
      Parcel dropped;
      PMPI_Recv(&dropped, static_cast<int>(sizeof dropped), MPI_BYTE, *from, static_cast<int>(kind), world_, MPI_STATUS_IGNORE);
    }
  }
  for (Outgoing& outgoing : outgoing_) {
    if (!is_complete(outgoing.request)) {
      PMPI_Cancel(&outgoing.request);
      PMPI_Wait(&outgoing.request, MPI_STATUS_IGNORE);
    }
  }
  outgoing_.clear();
}

}  // namespace flopcast::preload::mpi
