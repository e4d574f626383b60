#pragma once

#include <mpi.h>

#include <cstddef>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "flopcast/preload/kernels/nonblocking_votes.hpp"
#include "flopcast/path/aggregate.hpp"
#include "flopcast/path/critical_path.hpp"
#include "flopcast/selective/path_counts.hpp"

namespace flopcast::interpose::mpi {

/// What is said of a message of the program.
struct Envelope {
  std::int64_t bytes = 0;
  std::int32_t tag = 0;
  std::int8_t left_out = 0;  ///< bits: `itself`, `before`
  std::int16_t epoch = 0;    ///< of the sender; a mark from before flopcast_reset() says nothing

  static constexpr std::int8_t itself = 1;  ///< it is empty in place of these bytes
  static constexpr std::int8_t before = 2;  ///< its sender's data aren't the program's, as something has been left out
  [[nodiscard]] bool is_empty() const noexcept { return (left_out & itself) != 0; }
};

/// What travels ahead of every message of the program: in memory between processes of a node, else on a communicator of ours.
struct Shadow : Envelope {
  path::PathMark mark;        ///< of the sender, when it sent
  std::uint32_t number = 0;   ///< among those from its sender to its receiver on its channel
  std::uint32_t channel = 0;  ///< number of the channel
};

/// What the processes of a collective communication find together.
struct Agreement {
  path::PathMark mark;           ///< the longest path
  std::int32_t execute = 0;      ///< at least one of them wants it executed
  std::int32_t epoch = 0;        ///< of the mark; the latest of all
  std::int32_t teller = nobody;  ///< the lowest rank in the communicator with times to tell to all of it (policy eager)
  std::int32_t skipped = 0;      ///< data of at least one of them aren't the program's, as something has been left out
  std::uint64_t wanted = 0;      ///< nonblocking collectives that at least one of them wants executed, see NonblockingVotes
  std::uint32_t channel = 0;     ///< number for the channel of a communicator that is being made: the greatest

  static constexpr std::int32_t nobody = std::numeric_limits<std::int32_t>::max();
};

/// What has come from another process.
struct Arrival : Shadow {
  path::KernelCounts counts;  ///< along the sender's path, where policy is online
};

/// What belongs to one of the program's communicators: its shadows, which are matched as its messages are, and what its processes agree on,
/// for which the communicator itself serves. It may outlive that: a request on a freed communicator still has to complete.
class Channel : public std::enable_shared_from_this<Channel> {
 public:
  /// Kernels whose counts travel with a path.
  static constexpr std::size_t most_counts = 64;

  /// `number` is the same in all processes of `comm`, and none of them has another channel with it.
  Channel(MPI_Comm comm, std::uint32_t number);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel();

  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] int stride() const noexcept { return stride_; }  ///< between the world ranks of its processes; 0 if it varies
  [[nodiscard]] int world_rank(int rank) const noexcept { return world_ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int rank() const noexcept { return rank_; }  ///< of this process
  [[nodiscard]] int rank_of(int world_rank) const noexcept;  ///< of a process that is in it
  [[nodiscard]] const std::optional<path::Aggregate>& aggregate() const noexcept {
    return aggregate_;
  }  ///< nothing if its ranks are no grid
  /// What its processes have agreed on nonblocking collectives, and what this one wants.
  [[nodiscard]] NonblockingVotes& votes() noexcept { return votes_; }
  [[nodiscard]] bool has(int rank) const noexcept { return rank >= 0 && rank < size_; }

  /// A shadow with the sender's path. Never blocks. `counts` only where policy is online, and then always.
  void send(const path::CriticalPath& path, const Envelope& envelope, int destination, const path::KernelCounts& counts = {});
  /// The oldest shadow from `source` with this tag that nobody has taken; waits for it. Since it travels ahead of its message, there is one
  /// for every message that arrived. It is kept until the next one is asked for.
  const Arrival& receive(int source, int tag);
  /// The same shadow, which stays to be received. Valid until the next one is asked for.
  const Arrival& peek(int source, int tag);
  /// The same without waiting, nullptr if it hasn't come. From anybody or with any tag: one that fits, if any has come.
  const Arrival* look(int source, int tag);

  /// Rank `root`'s bytes for all.
  void broadcast(void* bytes, std::size_t count, int root);

  Agreement agree(const Agreement& mine);
  /// The same without waiting; `mine` and `all` must stay where they are until `request` is complete.
  void begin_to_agree(const Agreement& mine, Agreement& all, MPI_Request& request);

 private:
  /// Shadows from one process, which may come by two ways.
  struct Stream {
    std::uint32_t sent = 0, taken = 0;
  };
  void take(int source);
  bool take_if_there(int source, bool asks_network);
  bool take_from_memory(int source, bool& is_in_network);
  bool take_from_network(int world_rank, std::uint32_t number);
  bool take_early(int world_rank, std::uint32_t number);
  const Arrival* look_from(int source, int tag);
  [[nodiscard]] bool goes_in_memory(int rank) const noexcept;
  std::deque<Arrival>& waiting_from(int source);

  std::uint32_t number_ = 0;
  std::vector<Stream> streams_;  ///< by rank
  Arrival latest_;               ///< that was taken
  NonblockingVotes votes_;
  MPI_Comm comm_ = MPI_COMM_NULL;  ///< the program's, which it may have freed
  int rank_ = 0, size_ = 1, stride_ = 1;
  std::vector<int> world_ranks_;
  std::optional<path::Aggregate> aggregate_;
  std::vector<std::unique_ptr<std::deque<Arrival>>> arrived_;  ///< by source; taken out of the network while looking for another tag
};

/// What agree() needs of MPI; between begin and end of a session.
void make_agreement_type();
/// Whether counts of kernels travel with every shadow: in all processes or in none.
void let_counts_travel(bool travel) noexcept;
void free_agreement_type();

/// Begins with messages of ours among all processes, on `world`, and gives the processes of a node memory for their shadows, if that can be
/// had. Collective over all. `crowded`: more processes than cores, so that waiting is no use without yielding.
void connect_shadows(MPI_Comm world, MPI_Comm node, bool crowded);
/// Collective over all.
void disconnect_shadows();

/// Tells a process, by its rank among all, that this one is where `path` stands.
void acknowledge(const path::CriticalPath& path, const Envelope& envelope, int world_rank);
/// Such a word that has come from anybody, nullptr if there is none; doesn't wait. It is kept until the next one is asked for.
const Arrival* next_acknowledgement();

/// What the processes of `comm` find together. Collective over it.
Agreement agree(MPI_Comm comm, const Agreement& mine);

/// Whether channels are made for `comm`: not for MPI_COMM_NULL, intercommunicators, and those with processes outside of MPI_COMM_WORLD.
/// The same in all of its processes.
bool may_have_channel(MPI_Comm comm) noexcept;
/// This process's part in Agreement::channel where it is rank `rank` of those who agree.
std::uint32_t proposed_channel(int rank) noexcept;
/// Gives a communicator of the program its channel, with the number that was agreed on.
void adopt(MPI_Comm comm, std::uint32_t number);
/// Its channel; nullptr if it has none: then nothing is followed on it.
Channel* channel_of(MPI_Comm comm) noexcept;
/// Takes the channel away.
void disown(MPI_Comm comm);

}  // namespace flopcast::interpose::mpi
