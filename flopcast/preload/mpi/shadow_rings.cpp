#include "flopcast/preload/mpi/shadow_rings.hpp"

#include <new>

#include "flopcast/preload/mpi/shadow.hpp"

namespace flopcast::preload::mpi {
namespace {

/// Returns the number of slots in each ring of a node, a power of two; 0 for so many processes that rings would take more memory than MPI
/// itself.
std::uint32_t slots_per_ring(std::size_t processes) noexcept {
  constexpr std::size_t max_bytes = std::size_t{16} << 20U;  // all rings of a node
  constexpr std::uint32_t min_slots = 8;
  std::uint32_t slots = ShadowRings::max_slots;
  while (slots >= min_slots && processes * processes * slots * sizeof(RingSlot) > max_bytes) {
    slots /= 2;
  }
  return slots >= min_slots ? slots : 0;
}

/// Prefetches the second line of the next slot, which its receiver has read, so that writing it doesn't wait.
void fetch_for_writing(RingSlot& slot) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(slot.longest));  // a no-op on processors without it
#else
  __builtin_prefetch(&slot.longest, 1);
#endif
}

void write(RingSlot& slot, const path::CriticalPath& path, const Envelope& envelope) noexcept {
  const path::Costs& along = path.along();
  const path::Costs& longest = path.longest();
  slot.tag = envelope.tag;
  slot.bytes = envelope.bytes;
  slot.position = path.log().position();
  slot.left_out = envelope.left_out;
  slot.epoch = envelope.epoch;
  slot.time = along.time;
  slot.communication = along.communication;
  slot.idle = along.idle;
  slot.supersteps = along.supersteps;
  slot.words = along.words;
  slot.flops = along.flops;
  slot.longest = {longest.computation, longest.communication, longest.idle, longest.supersteps, longest.words, longest.flops};
}

}  // namespace

void read(const RingSlot& slot, int world_rank, Shadow& into) noexcept {
  path::Costs& along = into.mark.along;
  along.time = slot.time;
  along.computation = slot.time - slot.communication - slot.idle;
  along.communication = slot.communication;
  along.idle = slot.idle;
  along.supersteps = slot.supersteps;
  along.words = slot.words;
  along.flops = slot.flops;
  path::Costs& longest = into.mark.longest;
  longest.time = slot.time;
  longest.computation = slot.longest.computation;
  longest.communication = slot.longest.communication;
  longest.idle = slot.longest.idle;
  longest.supersteps = slot.longest.supersteps;
  longest.words = slot.longest.words;
  longest.flops = slot.longest.flops;
  into.mark.place = {world_rank, slot.position};
  into.bytes = slot.bytes;
  into.tag = slot.tag;
  into.left_out = slot.left_out;
  into.epoch = slot.epoch;
  into.number = slot.number;
  into.channel = slot.channel;
}

std::unique_ptr<ShadowRings> ShadowRings::make(MPI_Comm node, int processes) {
  int size = 1;
  PMPI_Comm_size(node, &size);
  std::unique_ptr<ShadowRings> rings(new ShadowRings);  // NOLINT: its constructor is private
  rings->slots_ = slots_per_ring(static_cast<std::size_t>(size));
  if (rings->slots_ == 0) {
    return nullptr;
  }
  const std::size_t bytes = static_cast<std::size_t>(size) * (sizeof(Progress) + rings->slots_ * sizeof(RingSlot)) + sizeof(RingSlot);
  void* memory = nullptr;
  PMPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN);
  int made = PMPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, node, static_cast<void*>(&memory), &rings->window_) ==
                     MPI_SUCCESS
                 ? 1
                 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &made, 1, MPI_INT, MPI_MIN, node);
  if (made == 0) {
    return nullptr;
  }
  rings->find_ends(node, processes);
  PMPI_Barrier(node);
  return rings;
}

/// Finds the ends of the rings. The rings to a process lie in its own part of the memory, one for each sender, and the receiver initialises
/// them.
void ShadowRings::find_ends(MPI_Comm node, int processes) {
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(node, &rank);
  PMPI_Comm_size(node, &size);
  int world_rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  std::vector<int> world_ranks(static_cast<std::size_t>(size));
  PMPI_Allgather(&world_rank, 1, MPI_INT, world_ranks.data(), 1, MPI_INT, node);
  const auto ring_of = [&](int receiver, int sender) {
    MPI_Aint bytes = 0;
    int unit = 0;
    char* base = nullptr;
    PMPI_Win_shared_query(window_, receiver, &bytes, &unit, static_cast<void*>(&base));
    base += (alignof(RingSlot) - reinterpret_cast<std::uintptr_t>(base) % alignof(RingSlot)) % alignof(RingSlot);
    base += static_cast<std::size_t>(sender) * (sizeof(Progress) + slots_ * sizeof(RingSlot));
    return End{reinterpret_cast<Progress*>(base), reinterpret_cast<RingSlot*>(base + sizeof(Progress)), 0, 0};
  };
  to_.resize(static_cast<std::size_t>(processes));
  from_.resize(static_cast<std::size_t>(processes));
  for (int other = 0; other < size; ++other) {
    const auto peer = static_cast<std::size_t>(world_ranks[static_cast<std::size_t>(other)]);
    to_[peer] = ring_of(other, rank);
    from_[peer] = ring_of(rank, other);
    new (from_[peer].progress) Progress{};
    for (std::size_t i = 0; i < slots_; ++i) {
      new (from_[peer].slots + i) RingSlot{};
    }
  }
}

void ShadowRings::free() noexcept { PMPI_Win_free(&window_); }

bool ShadowRings::put(int world_rank, Name name, const path::CriticalPath& path, const Envelope& envelope) noexcept {
  End& end = to_[static_cast<std::size_t>(world_rank)];
  if (end.count - end.known >= slots_) {
    end.known = end.progress->taken.load(std::memory_order_acquire);
    if (end.count - end.known >= slots_) {
      return false;
    }
  }
  RingSlot& slot = end.slots[end.count & (slots_ - 1)];
  slot.number = name.number;
  slot.channel = name.channel;
  write(slot, path, envelope);
  slot.place.store(++end.count, std::memory_order_release);
  fetch_for_writing(end.slots[end.count & (slots_ - 1)]);
  return true;
}

const RingSlot* ShadowRings::front(int world_rank) const noexcept {
  const End& end = from_[static_cast<std::size_t>(world_rank)];
  const RingSlot& slot = end.slots[end.count & (slots_ - 1)];
  return slot.place.load(std::memory_order_acquire) == end.count + 1 ? &slot : nullptr;
}

/// Drops a shadow. The sender learns of it only now and then, because each update moves a cache line from one core to the other.
void ShadowRings::drop(int world_rank) noexcept {
  End& end = from_[static_cast<std::size_t>(world_rank)];
  if (++end.count - end.known >= slots_ / 4) {
    end.known = end.count;
    end.progress->taken.store(end.count, std::memory_order_release);
  }
}

}  // namespace flopcast::preload::mpi
