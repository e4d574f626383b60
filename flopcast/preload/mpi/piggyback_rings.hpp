#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "flopcast/path/critical_path.hpp"

namespace flopcast::preload::mpi {

struct Envelope;
struct Piggyback;

/// A piggyback message in memory that processes share: two cache lines, without values that follow from the others. (The longest path is
/// the one with the greatest time; its computation is that time less communication and idle time.)
struct alignas(128) RingSlot {
  std::atomic<std::uint32_t> place;  ///< position in its ring, from 1; written last
  std::uint32_t number = 0;          ///< the piggyback message's number on its channel, counted from this process to that
  std::uint32_t channel = 0;
  std::int32_t tag = 0;
  std::int64_t bytes = 0;
  std::uint32_t position = 0;  ///< position of the sender's path
  std::int8_t skipped = 0;
  std::int16_t epoch = 0;
  struct Along {
    double time = 0, communication = 0, idle = 0, supersteps = 0, words = 0, flops = 0;
  } along;
  struct Longest {
    double computation = 0, communication = 0, idle = 0, supersteps = 0, words = 0, flops = 0;
  } longest;
};
static_assert(sizeof(RingSlot) == 128);

/// Reads the piggyback message that process `world_rank` has put into a slot.
void read(const RingSlot& slot, int world_rank, Piggyback& into) noexcept;

/// Passes piggyback messages between the processes of a node through memory, in a ring of slots from each process to each. Messages would
/// take as long as the program's short messages. When a message has come, piggyback messages that its sender has put before are there.
class PiggybackRings {
 public:
  /// Largest number of unread piggyback messages from one process to another; more go as messages. The slots of a panel's tiles should fit.
  /// Open MPI keeps short messages that it can't deliver at once until their sender calls it again, perhaps a hundred milliseconds later.
  static constexpr std::uint32_t max_slots = 512;

  /// Makes the rings for the processes of a node, among `processes` in all. All their memory is allocated at once, in files that need no
  /// room in /dev/shm. Returns nullptr in all processes of the node if one of them can't have its part. Collective over the node.
  static std::unique_ptr<PiggybackRings> make(MPI_Comm node, int processes);
  PiggybackRings(const PiggybackRings&) = delete;
  PiggybackRings& operator=(const PiggybackRings&) = delete;
  ~PiggybackRings();

  /// Returns whether that process is on this node.
  [[nodiscard]] bool reaches(int world_rank) const noexcept { return to_[static_cast<std::size_t>(world_rank)].slots != nullptr; }
  /// Identifies a piggyback message sent to a process.
  struct MessageIdentity {
    std::uint32_t channel = 0, number = 0;
  };
  /// Puts a piggyback message; returns false if the ring is full. The path's numbers are copied one by one to where they are read, because
  /// a copy that was assembled first would stall the processor.
  bool put(int world_rank, MessageIdentity name, const path::CriticalPath& path, const Envelope& envelope) noexcept;
  /// Returns the slot of the oldest piggyback message from that process; nullptr if none has come.
  [[nodiscard]] const RingSlot* front(int world_rank) const noexcept;
  /// Frees the slot that front() returned.
  void drop(int world_rank) noexcept;

  /// Notes that a piggyback message for that process travels as a message in place of a slot.
  void note_mail(int world_rank) noexcept;
  /// Returns the number of piggyback messages that process has sent to this one as messages so far.
  [[nodiscard]] std::uint32_t mails_from(int world_rank) const noexcept {
    return from_[static_cast<std::size_t>(world_rank)].sender->mails.load(std::memory_order_acquire);
  }

 private:
  /// The receiver's count of piggyback messages taken.
  struct alignas(128) Receiver {
    std::atomic<std::uint32_t> taken;
  };
  /// The sender's count of piggyback messages sent as messages.
  struct alignas(128) Sender {
    std::atomic<std::uint32_t> mails;
  };
  /// Begin of a process's memory, by which the others recognise that they have opened the right file.
  struct alignas(128) Mark {
    std::uint64_t token;
  };
  /// One end of a ring.
  struct End {
    Receiver* receiver = nullptr;
    Sender* sender = nullptr;
    RingSlot* slots = nullptr;
    std::uint32_t count = 0;  ///< piggyback messages put or taken by this process
    std::uint32_t known = 0;  ///< the other process's count, as last read or written
  };

  PiggybackRings() = default;
  [[nodiscard]] std::size_t ring_bytes() const noexcept { return sizeof(Receiver) + sizeof(Sender) + slots_ * sizeof(RingSlot); }
  bool map_parts(MPI_Comm node, int rank, int size);
  void find_ends(MPI_Comm node, int rank, int size, int processes);

  std::uint32_t slots_ = max_slots;  ///< slots of each ring, a power of two
  std::size_t part_bytes_ = 0;       ///< memory of one process, which holds the rings to it
  std::vector<void*> parts_;         ///< index: rank on the node; nullptr: not mapped
  std::vector<End> to_, from_;       ///< index: rank in MPI_COMM_WORLD
};

}  // namespace flopcast::preload::mpi
