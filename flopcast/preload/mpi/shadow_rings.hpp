#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "flopcast/path/critical_path.hpp"

namespace flopcast::interpose::mpi {

struct Envelope;
struct Shadow;

/// A shadow as it lies in memory that processes share: two lines of the cache, without what follows from the rest. (The longest path is the
/// one with the greatest time, whose computation is what communication and idle time leave of that.)
struct alignas(128) Letter {
  std::atomic<std::uint32_t> place;  ///< in its ring, from 1; written last
  std::uint32_t number = 0;          ///< of the shadow among those of its channel from this process to that
  std::uint32_t channel = 0;
  std::int32_t tag = 0;
  std::int64_t bytes = 0;
  std::uint32_t position = 0;  ///< of the sender's path
  std::int8_t left_out = 0;
  std::int16_t epoch = 0;
  double time = 0, communication = 0, idle = 0, supersteps = 0, words = 0, flops = 0;
  struct Longest {
    double computation = 0, communication = 0, idle = 0, supersteps = 0, words = 0, flops = 0;
  } longest;
};
static_assert(sizeof(Letter) == 128);

/// What `letter` says, from the process `world_rank`.
void read(const Letter& letter, int world_rank, Shadow& into) noexcept;

/// Between the processes of a node shadows go through memory instead of messages, which take as long as a short message of the program
/// does: a ring of letters from each process to each.
class ShadowRings {
 public:
  /// Letters from one process to another that nobody has taken yet; more go as messages. Those of a panel's tiles should fit: Open MPI keeps
  /// short messages that it can't deliver at once until their sender calls it again, perhaps a hundred milliseconds later.
  static constexpr std::uint32_t most_letters = 512;

  /// Collective over the processes of a node, among `processes` in all; nullptr in all of the node if there is no such memory, or too little.
  static std::unique_ptr<ShadowRings> make(MPI_Comm node, int processes);
  ShadowRings(const ShadowRings&) = delete;
  ShadowRings& operator=(const ShadowRings&) = delete;
  /// Gives the memory back: collective over the node, and so nothing for a destructor, which a process that ends before MPI_Finalize runs by
  /// itself while the others wait for something else.
  void free() noexcept;

  /// Whether that process is on this node.
  [[nodiscard]] bool reaches(int world_rank) const noexcept { return to_[static_cast<std::size_t>(world_rank)].letters != nullptr; }
  /// Which shadow it is to a process.
  struct Name {
    std::uint32_t channel = 0, number = 0;
  };
  /// A shadow; false if the ring is full. Numbers of the path go one by one from where they were just written to where they are read: what
  /// was put together in between would be waited for.
  bool put(int world_rank, Name name, const path::CriticalPath& path, const Envelope& envelope) noexcept;
  /// The oldest letter from there; nullptr if none has come.
  [[nodiscard]] const Letter* front(int world_rank) const noexcept;
  /// It has been read.
  void drop(int world_rank) noexcept;

 private:
  /// The receiver's word on how far it has come.
  struct alignas(128) Progress {
    std::atomic<std::uint32_t> taken;
  };
  /// One end of a ring.
  struct End {
    Progress* progress = nullptr;
    Letter* letters = nullptr;
    std::uint32_t count = 0;  ///< put or taken by this process
    std::uint32_t known = 0;  ///< the other process's count, as far as this one has asked or has told
  };

  ShadowRings() = default;
  void find_ends(MPI_Comm node, int processes);

  std::uint32_t slots_ = most_letters;  ///< of each ring, a power of two
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<End> to_, from_;  ///< by rank in MPI_COMM_WORLD
};

}  // namespace flopcast::interpose::mpi
