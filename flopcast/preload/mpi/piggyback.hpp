#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flopcast/core/mpi_values.hpp"
#include "flopcast/path/aggregate.hpp"
#include "flopcast/path/critical_path.hpp"
#include "flopcast/preload/kernels/nonblocking_votes.hpp"
#include "flopcast/preload/kernels/routine_list.hpp"
#include "flopcast/preload/kernels/spin_backoff.hpp"
#include "flopcast/selective/path_counts.hpp"

namespace flopcast::preload::mpi {

/// Description of one of the program's messages.
struct Envelope {
  std::int64_t bytes = 0;
  std::int32_t tag = 0;
  std::int8_t skipped = 0;  ///< bits: `itself`, `before`
  std::int16_t epoch = 0;   ///< the sender's epoch; a mark from before flopcast_reset() is ignored

  static constexpr std::int8_t itself = 1;  ///< the message is empty in place of these bytes
  static constexpr std::int8_t before = 2;  ///< its sender's data aren't the program's, because kernels have been skipped
  [[nodiscard]] bool is_empty() const noexcept { return (skipped & itself) != 0; }
};

/// A piggyback message: the record that travels ahead of the program's messages and carries the sender's path ("piggybacking"). It travels
/// in memory between processes of a node, else on flopcast's communicator. A message may come without one: flopcast doesn't see a send
/// whose address the program took from MPI's library.
struct Piggyback : Envelope {
  path::PathMark mark;        ///< the sender's, when it sent
  std::uint32_t number = 0;   ///< counted from its sender to its receiver on its channel
  std::uint32_t channel = 0;  ///< number of the channel
};

/// One of the program's communications as far as its time is concerned.
struct Communication {
  Routine routine = Routine::send;
  std::int64_t bytes = 0;         ///< counted as in path::MessageModel
  int processes = 1, stride = 1;  ///< processes of the communicator, and the distance between their ranks
  path::Pattern pattern = path::Pattern::message;
};

/// The common result of the processes of a collective communication.
struct Agreement {
  path::PathMark mark;               ///< the longest path
  std::int32_t execute = 0;          ///< not 0: at least one process wants it executed
  std::int32_t epoch = 0;            ///< epoch of the mark; the latest of all
  std::int32_t times_rank = nobody;  ///< the lowest rank in the communicator that has times for all others (policy eager)
  std::int32_t skipped = 0;          ///< not 0: data of at least one process aren't the program's
  std::uint64_t wanted = 0;          ///< nonblocking collectives that at least one process wants executed, see NonblockingVotes
  std::uint32_t channel = 0;         ///< number for the channel of a communicator under construction: the greatest

  static constexpr std::int32_t nobody = std::numeric_limits<std::int32_t>::max();
};

/// A piggyback message that has come from another process.
struct Arrival : Piggyback {
  selective::KernelCounts counts;  ///< along the sender's path, if policy is online
};

/// Data of one of the program's communicators: its piggyback messages, which are matched like its messages, and the agreements of its
/// processes, for which the communicator itself is used. A channel may outlive the communicator, because a request on a freed communicator
/// still has to complete.
class Channel : public std::enable_shared_from_this<Channel> {
 public:
  /// Largest number of kernels whose counts travel with a path.
  static constexpr std::size_t max_counts = 64;

  /// `number` is the same in all processes of `comm`, and differs from the numbers of their other channels.
  Channel(MPI_Comm comm, std::uint32_t number);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel();

  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] int stride() const noexcept { return stride_; }  ///< distance between the world ranks of its processes; 0 if it varies
  /// Returns a communication on the communicator.
  [[nodiscard]] Communication communication(Routine routine, std::int64_t bytes,
                                            path::Pattern pattern = path::Pattern::message) const noexcept {
    return {routine, bytes, size_, stride_, pattern};
  }
  [[nodiscard]] int world_rank(int rank) const noexcept { return world_ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int rank() const noexcept { return rank_; }  ///< rank of this process
  [[nodiscard]] int rank_of(int world_rank) const noexcept;  ///< for a process in it
  /// Returns the grid of its ranks; nothing if they form none.
  [[nodiscard]] const std::optional<path::Aggregate>& aggregate() const noexcept { return aggregate_; }
  /// Returns the agreements on nonblocking collectives, and this process's own wishes.
  [[nodiscard]] NonblockingVotes& votes() noexcept { return votes_; }
  [[nodiscard]] bool has(int rank) const noexcept { return rank >= 0 && rank < size_; }

  /// Length of a message that isn't known.
  static constexpr std::int64_t any_length = -1;

  /// Sends a piggyback message with the sender's path. Never blocks. `counts` are given if policy is online, and only then. Returns false
  /// if the receiver hasn't taken thousands of earlier ones, and this one isn't sent.
  bool send(const path::CriticalPath& path, const Envelope& envelope, int destination, const selective::KernelCounts& counts = {});
  /// Takes the oldest piggyback message from `source` with this tag. Waits for it until `has_come()` says that the message is there. Then,
  /// if no piggyback message has been sent ahead of the message, returns nullptr. The result is valid until the next call.
  template <class HasCome>
  Arrival* await(int source, int tag, HasCome has_come);
  /// Takes the piggyback message of a message of `bytes` that has come from `source` with this tag; nullptr if it has none. The result is
  /// valid until the next call.
  Arrival* take(int source, int tag, std::int64_t bytes);
  /// Returns the piggyback message that take() would return, and leaves it for that call.
  const Arrival* peek(int source, int tag, std::int64_t bytes);
  /// Returns `taken`, which await() took for a message from `source`, if it fits the `bytes` that have come. Otherwise puts it back and
  /// does what take() does.
  const Arrival* take_instead(Arrival& taken, int source, std::int64_t bytes);
  /// Returns a piggyback message without waiting, nullptr if none has come. With wildcards, returns one that fits, if any has come.
  const Arrival* look(int source, int tag);
  /// Notes that the program has begun `receives` more receives whose piggyback messages may be taken in another order than they were sent.
  void expect(int receives) noexcept { open_receives_ += receives; }
  /// Returns whether `source` is to be told of another receive. One that sends no piggyback messages doesn't take acknowledgements either.
  [[nodiscard]] bool may_acknowledge(int source) noexcept {
    constexpr std::uint32_t max_ahead = 4096;
    PiggybackCounts& stream = streams_[static_cast<std::size_t>(source)];
    if (stream.acknowledged >= stream.taken + max_ahead) {
      return false;
    }
    ++stream.acknowledged;
    return true;
  }

  /// Broadcasts bytes from rank `root`.
  void broadcast(void* bytes, std::size_t count, int root);

  Agreement agree(const Agreement& mine);
  /// Begins an agreement without waiting; `mine` and `all` must stay where they are until `request` is complete.
  void begin_to_agree(const Agreement& mine, Agreement& all, MPI_Request& request);

 private:
  /// Counts of piggyback messages to and from one process, which may come by memory or as messages.
  struct PiggybackCounts {
    std::uint32_t sent = 0, taken = 0, acknowledged = 0;
    bool lacks_piggyback = false;  ///< a message has come without one, where messages may overtake piggyback messages
  };
  /// Piggyback messages from one process that were taken while looking for another one.
  struct Aside {
    std::unordered_map<int, std::deque<Arrival>> by_tag;
    std::size_t count = 0;
  };
  bool take_next(int source);
  bool take_sent_before(int source);
  bool take_from_memory(int source);
  bool take_from_network(int world_rank, std::uint32_t number);
  bool take_early(int world_rank, std::uint32_t number);
  void put_early(Arrival found);
  void order_early();
  void put_aside(int source, Arrival found);
  std::deque<Arrival>* aside(int source, int tag);
  bool take_aside(int source, int tag, std::int64_t bytes);
  const Arrival* look_from(int source, int tag);
  [[nodiscard]] bool goes_in_memory(int rank) const noexcept;
  static bool pauses(SpinBackoff& backoff, bool in_memory) noexcept { return backoff.is_over() || !in_memory; }

  std::uint32_t number_ = 0;
  std::vector<PiggybackCounts> streams_;  ///< index: rank
  Arrival latest_;                        ///< the one taken last
  NonblockingVotes votes_;
  MPI_Comm comm_ = MPI_COMM_NULL;  ///< the program's communicator, which may have been freed
  int rank_ = 0, size_ = 1, stride_ = 1;
  std::vector<int> world_ranks_;
  std::optional<path::Aggregate> aggregate_;
  std::vector<std::unique_ptr<Aside>> aside_;  ///< index: source
  int open_receives_ = 0;
};

/// Returns an object that limits polling for another process's data.
SpinBackoff new_backoff() noexcept;

template <class HasCome>
Arrival* Channel::await(int source, int tag, HasCome has_come) {
  if (take_aside(source, tag, any_length)) {
    return &latest_;
  }
  SpinBackoff backoff = new_backoff();
  for (;;) {
    while (take_next(source)) {
      if (latest_.tag == tag) {
        return &latest_;
      }
      put_aside(source, std::move(latest_));
    }
    if (pauses(backoff, goes_in_memory(source)) && has_come()) {
      return take(source, tag, any_length);
    }
  }
}

/// Makes the MPI type for agree(), between begin and end of a session.
void make_agreement_type();
/// Sets whether counts of kernels travel with every piggyback message, in all processes or in none.
void set_count_propagation(bool travel) noexcept;
void free_agreement_type();

/// Messages whose piggyback messages and receives don't go together, so far in this process.
struct Bypassing {
  double announced = 0;  ///< piggyback messages sent
  double taken = 0;      ///< piggyback messages taken for a message
  double left = 0;       ///< piggyback messages that will not be taken although flopcast has seen the receive
  double unknown = 0;    ///< messages that came without a piggyback message
};
inline Bypassing bypassing;
/// Returns the number of messages that flopcast has seen at one end only, or not at all. Collective; complete at rank 0.
double count_bypassing(MPI_Comm world);

/// Prepares flopcast's own messages among all processes, on `world`, and memory for the piggyback messages of a node's processes, if
/// available. Collective over all processes. `crowded`: there are more processes than cores, so that waiting processes must yield.
void connect_piggyback(MPI_Comm world, MPI_Comm node, bool crowded);
/// Collective over all processes.
void disconnect_piggyback();

/// Tells the process of rank `world_rank` where `path` stands.
void acknowledge(const path::CriticalPath& path, const Envelope& envelope, int world_rank);
/// Returns the next acknowledgement from any process, nullptr if none has come; doesn't wait. The result is valid until the next call.
const Arrival* next_acknowledgement();

/// Combines the values of all processes of `comm`. Collective over it.
Agreement agree(MPI_Comm comm, const Agreement& mine);

/// Returns whether channels are made for `comm`, which is the same in all its processes. There are none for MPI_COMM_NULL,
/// intercommunicators, and communicators with processes outside of MPI_COMM_WORLD.
bool may_have_channel(MPI_Comm comm) noexcept;
/// Returns the value of Agreement::channel that this process proposes as rank `rank` of the agreement.
std::uint32_t proposed_channel(int rank) noexcept;
/// Gives one of the program's communicators its channel, with the number that was agreed on.
void attach_channel(MPI_Comm comm, std::uint32_t number);
/// Returns the communicator's channel; nullptr if it has none, and communication on it isn't traced.
Channel* channel_of(MPI_Comm comm) noexcept;
/// Takes the channel away.
void detach_channel(MPI_Comm comm);

}  // namespace flopcast::preload::mpi
