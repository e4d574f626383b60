#include "flopcast/preload/mpi/piggyback_rings.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <exception>
#include <new>
#include <random>

#include "flopcast/preload/mpi/piggyback.hpp"
#include "flopcast/preload/mpi/process_values.hpp"
#include "flopcast/support/memory_file.hpp"

namespace flopcast::preload::mpi {
namespace {

/// Returns the number of slots in each ring of a node, a power of two; 0 for so many processes that rings would take more memory than MPI
/// itself.
std::uint32_t slots_per_ring(std::size_t processes) noexcept {
  constexpr std::size_t max_ring_bytes = std::size_t{16} << 20U;  // all rings of a node
  constexpr std::uint32_t min_slots = 8;
  std::uint32_t slots = PiggybackRings::max_slots;
  while (slots >= min_slots && processes * processes * slots * sizeof(RingSlot) > max_ring_bytes) {
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
  slot.skipped = envelope.skipped;
  slot.epoch = envelope.epoch;
  slot.along = {along.time, along.communication, along.idle, along.supersteps, along.words, along.flops};
  slot.longest = {longest.computation, longest.communication, longest.idle, longest.supersteps, longest.words, longest.flops};
}

/// The file of a process's part of the memory. A plain record: it is gathered.
struct FileOfPart {
  std::array<char, 56> path{};
  std::uint64_t token = 0;
};

/// Makes a file in memory and maps it to `mapped`. Returns nullptr if there isn't so much memory, or if files may not be so large.
std::unique_ptr<MemoryFile> allocated_file(std::size_t bytes, void*& mapped) noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < bytes) {  // a signal would end the process
    return nullptr;
  }
  try {
    auto file = std::make_unique<MemoryFile>("flopcast-piggyback");
    mapped = file->map(bytes);
    return file;
  } catch (const std::exception&) {
    return nullptr;
  }
}

/// Maps a file of another process; returns nullptr if it can't be opened, as where containers hide processes from each other.
void* mapped_file(const char* path, std::size_t bytes) noexcept {
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) {
    return nullptr;
  }
  const off_t end = lseek(file, 0, SEEK_END);
  void* mapped = end == static_cast<off_t>(bytes) ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  close(file);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

}  // namespace

void read(const RingSlot& slot, int world_rank, Piggyback& into) noexcept {
  const auto& [time, communication, idle, supersteps, words, flops] = slot.along;
  into.mark.along = {time, time - communication - idle, communication, idle, supersteps, words, flops};
  const RingSlot::Longest& longest = slot.longest;
  into.mark.longest = {time, longest.computation, longest.communication, longest.idle, longest.supersteps, longest.words, longest.flops};
  into.mark.place = {world_rank, slot.position};
  into.bytes = slot.bytes;
  into.tag = slot.tag;
  into.skipped = slot.skipped;
  into.epoch = slot.epoch;
  into.number = slot.number;
  into.channel = slot.channel;
}

PiggybackRings::~PiggybackRings() {
  for (void* part : parts_) {
    if (part != nullptr) {
      munmap(part, part_bytes_);
    }
  }
}

std::unique_ptr<PiggybackRings> PiggybackRings::make(MPI_Comm node, int processes) {
  const int rank = rank_in(node), size = processes_in(node);
  std::unique_ptr<PiggybackRings> rings(new PiggybackRings);  // NOLINT: its constructor is private
  rings->slots_ = slots_per_ring(static_cast<std::size_t>(size));
  if (rings->slots_ == 0 || !rings->map_parts(node, rank, size)) {
    return nullptr;
  }
  rings->find_ends(node, rank, size, processes);
  PMPI_Barrier(node);
  return rings;
}

/// Allocates this process's part of the memory, and maps those of all. Returns the same in all processes.
bool PiggybackRings::map_parts(MPI_Comm node, int rank, int size) {
  const auto all_can = [&](bool can) {
    int all = can ? 1 : 0;
    PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, node);
    return all != 0;
  };
  part_bytes_ = sizeof(Mark) + static_cast<std::size_t>(size) * ring_bytes();
  parts_.assign(static_cast<std::size_t>(size), nullptr);
  FileOfPart mine;
  const std::unique_ptr<MemoryFile> file = allocated_file(part_bytes_, parts_[static_cast<std::size_t>(rank)]);
  if (!all_can(file != nullptr)) {
    return false;
  }
  std::snprintf(mine.path.data(), mine.path.size(), "%s", file->path().c_str());
  std::random_device device;
  mine.token = (std::uint64_t{device()} << 32U) | device();
  new (parts_[static_cast<std::size_t>(rank)]) Mark{mine.token};
  std::vector<FileOfPart> files(static_cast<std::size_t>(size));
  PMPI_Allgather(&mine, static_cast<int>(sizeof mine), MPI_BYTE, files.data(), static_cast<int>(sizeof mine), MPI_BYTE, node);
  bool mapped = true;
  for (std::size_t i = 0; mapped && i < files.size(); ++i) {
    parts_[i] = parts_[i] != nullptr ? parts_[i] : mapped_file(files[i].path.data(), part_bytes_);
    mapped = parts_[i] != nullptr && static_cast<const Mark*>(parts_[i])->token == files[i].token;
  }
  return all_can(mapped);
}

/// Finds the ends of the rings. The rings to a process lie in its own part of the memory, one for each sender, and the receiver initialises
/// them.
void PiggybackRings::find_ends(MPI_Comm node, int rank, int size, int processes) {
  const int world_rank = rank_in(MPI_COMM_WORLD);
  std::vector<int> world_ranks(static_cast<std::size_t>(size));
  PMPI_Allgather(&world_rank, 1, MPI_INT, world_ranks.data(), 1, MPI_INT, node);
  const auto ring_of = [&](int receiver, int sender) {
    char* at =
        static_cast<char*>(parts_[static_cast<std::size_t>(receiver)]) + sizeof(Mark) + static_cast<std::size_t>(sender) * ring_bytes();
    return End{reinterpret_cast<Receiver*>(at), reinterpret_cast<Sender*>(at + sizeof(Receiver)),
               reinterpret_cast<RingSlot*>(at + sizeof(Receiver) + sizeof(Sender)), 0, 0};
  };
  to_.resize(static_cast<std::size_t>(processes));
  from_.resize(static_cast<std::size_t>(processes));
  for (int other = 0; other < size; ++other) {
    const auto peer = static_cast<std::size_t>(world_ranks[static_cast<std::size_t>(other)]);
    to_[peer] = ring_of(other, rank);
    from_[peer] = ring_of(rank, other);
    new (from_[peer].receiver) Receiver{};
    new (from_[peer].sender) Sender{};
    for (std::size_t i = 0; i < slots_; ++i) {
      new (from_[peer].slots + i) RingSlot{};
    }
  }
}

void PiggybackRings::note_mail(int world_rank) noexcept {
  std::atomic<std::uint32_t>& mails = to_[static_cast<std::size_t>(world_rank)].sender->mails;
  mails.store(mails.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

bool PiggybackRings::put(int world_rank, MessageIdentity name, const path::CriticalPath& path, const Envelope& envelope) noexcept {
  End& end = to_[static_cast<std::size_t>(world_rank)];
  if (end.count - end.known >= slots_) {
    end.known = end.receiver->taken.load(std::memory_order_acquire);
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

const RingSlot* PiggybackRings::front(int world_rank) const noexcept {
  const End& end = from_[static_cast<std::size_t>(world_rank)];
  const RingSlot& slot = end.slots[end.count & (slots_ - 1)];
  return slot.place.load(std::memory_order_acquire) == end.count + 1 ? &slot : nullptr;
}

/// Drops a piggyback message. The sender learns of it only now and then, because each update moves a cache line from one core to the other.
void PiggybackRings::drop(int world_rank) noexcept {
  End& end = from_[static_cast<std::size_t>(world_rank)];
  if (++end.count - end.known >= slots_ / 4) {
    end.known = end.count;
    end.receiver->taken.store(end.count, std::memory_order_release);
  }
}

}  // namespace flopcast::preload::mpi
