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
struct Shadow;

/// A shadow in memory that processes share: two cache lines, without values that follow from the others. (The longest path is the one with
/// the greatest time; its computation is that time less communication and idle time.)
struct alignas(128) RingSlot {
  std::atomic<std::uint32_t> place;  ///< position in its ring, from 1; written last
  std::uint32_t number = 0;          ///< the shadow's number on its channel, counted from this process to that
  std::uint32_t channel = 0;
  std::int32_t tag = 0;
  std::int64_t bytes = 0;
  std::uint32_t position = 0;  ///< position of the sender's path
  std::int8_t left_out = 0;
  std::int16_t epoch = 0;
  double time = 0, communication = 0, idle = 0, supersteps = 0, words = 0, flops = 0;
  struct Longest {
    double computation = 0, communication = 0, idle = 0, supersteps = 0, words = 0, flops = 0;
  } longest;
};
static_assert(sizeof(RingSlot) == 128);

/// Reads the shadow that process `world_rank` has put into a slot.
void read(const RingSlot& slot, int world_rank, Shadow& into) noexcept;

/// Passes shadows between the processes of a node through memory, in a ring of slots from each process to each. Messages would take as
/// long as the program's short messages.
class ShadowRings {
 public:
  /// Largest number of unread shadows from one process to another; more go as messages. The slots of a panel's tiles should fit. Open MPI
  /// keeps short messages that it can't deliver at once until their sender calls it again, perhaps a hundred milliseconds later.
  static constexpr std::uint32_t max_slots = 512;

  /// Makes the rings for the processes of a node, among `processes` in all. Returns nullptr in all processes of the node if there isn't
  /// enough such memory. Collective over the node.
  static std::unique_ptr<ShadowRings> make(MPI_Comm node, int processes);
  ShadowRings(const ShadowRings&) = delete;
  ShadowRings& operator=(const ShadowRings&) = delete;
  ~ShadowRings() = default;
  /// Frees the memory, collectively over the node. The destructor must not do this: a process that ends before MPI_Finalize runs it alone,
  /// while the others wait for something else.
  void free() noexcept;

  /// Returns whether that process is on this node.
  [[nodiscard]] bool reaches(int world_rank) const noexcept { return to_[static_cast<std::size_t>(world_rank)].slots != nullptr; }
  /// Identifies a shadow sent to a process.
  struct Name {
    std::uint32_t channel = 0, number = 0;
  };
  /// Puts a shadow; returns false if the ring is full. The path's numbers are copied one by one to where they are read, because a copy that
  /// was assembled first would stall the processor.
  bool put(int world_rank, Name name, const path::CriticalPath& path, const Envelope& envelope) noexcept;
  /// Returns the slot of the oldest shadow from that process; nullptr if none has come.
  [[nodiscard]] const RingSlot* front(int world_rank) const noexcept;
  /// Frees the slot that front() returned.
  void drop(int world_rank) noexcept;

 private:
  /// The receiver's count of shadows taken.
  struct alignas(128) Progress {
    std::atomic<std::uint32_t> taken;
  };
  /// One end of a ring.
  struct End {
    Progress* progress = nullptr;
    RingSlot* slots = nullptr;
    std::uint32_t count = 0;  ///< shadows put or taken by this process
    std::uint32_t known = 0;  ///< the other process's count, as last read or written
  };

  ShadowRings() = default;
  void find_ends(MPI_Comm node, int processes);

  std::uint32_t slots_ = max_slots;  ///< slots of each ring, a power of two
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<End> to_, from_;  ///< index: rank in MPI_COMM_WORLD
};

}  // namespace flopcast::preload::mpi
