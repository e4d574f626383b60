#include "flopcast/preload/mpi/shadow_mail.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "flopcast/preload/mpi/shadow.hpp"

namespace flopcast::preload::mpi {

/// Contents of a message; only the existing counts are sent.
struct Parcel {
  Shadow shadow;
  std::array<selective::KernelCount, Channel::max_counts> counts;
};
static_assert(sizeof(Parcel) == sizeof(Shadow) + Channel::max_counts * sizeof(selective::KernelCount));

struct ShadowMail::Outgoing {
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

ShadowMail::ShadowMail(MPI_Comm world) noexcept : world_(world) {}

ShadowMail::~ShadowMail() = default;

/// Returns a slot for a message. The oldest slot is tested only when this many are used, because it and its neighbours are then
/// free.
ShadowMail::Outgoing& ShadowMail::free_slot() {
  constexpr std::size_t min_slots = 32;
  if (outgoing_.size() >= min_slots && is_complete(outgoing_.front().request)) {
    outgoing_.splice(outgoing_.end(), outgoing_, outgoing_.begin());
  } else {
    outgoing_.emplace_back();
  }
  return outgoing_.back();
}

void ShadowMail::send(Kind kind, const Shadow& shadow, const selective::KernelCounts& counts, int world_rank) {
  Outgoing& slot = free_slot();
  slot.parcel.shadow = shadow;
  const std::size_t count = std::min(counts.size(), slot.parcel.counts.size());
  std::copy_n(counts.begin(), count, slot.parcel.counts.begin());
  const std::size_t bytes = sizeof(Shadow) + count * sizeof(selective::KernelCount);
  PMPI_Isend(&slot.parcel, static_cast<int>(bytes), MPI_BYTE, world_rank, static_cast<int>(kind), world_, &slot.request);
}

void ShadowMail::receive(Kind kind, int world_rank, Arrival& into) {
  Parcel parcel;
  MPI_Status status;
  PMPI_Recv(&parcel, static_cast<int>(sizeof parcel), MPI_BYTE, world_rank, static_cast<int>(kind), world_, &status);
  int bytes = 0;
  PMPI_Get_count(&status, MPI_BYTE, &bytes);
  static_cast<Shadow&>(into) = parcel.shadow;
  const std::size_t count = (static_cast<std::size_t>(bytes) - sizeof(Shadow)) / sizeof(selective::KernelCount);
  into.counts.assign(parcel.counts.begin(), parcel.counts.begin() + static_cast<std::ptrdiff_t>(count));
}

std::optional<int> ShadowMail::sender(Kind kind, int world_rank) {
  int there = 0;
  MPI_Status status;
  PMPI_Iprobe(world_rank, static_cast<int>(kind), world_, &there, &status);
  return there != 0 ? std::optional(status.MPI_SOURCE) : std::nullopt;
}

void ShadowMail::close() noexcept {
  for (Outgoing& outgoing : outgoing_) {
    if (!is_complete(outgoing.request)) {
      PMPI_Cancel(&outgoing.request);
      PMPI_Wait(&outgoing.request, MPI_STATUS_IGNORE);
    }
  }
  outgoing_.clear();
}

}  // namespace flopcast::preload::mpi
