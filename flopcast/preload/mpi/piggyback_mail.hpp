#pragma once

#include <mpi.h>

#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "flopcast/selective/path_counts.hpp"

namespace flopcast::preload::mpi {

struct Piggyback;
struct Arrival;
struct Parcel;

/// Transports piggyback messages by MPI: to other nodes, while a ring is full, and where counts of kernels go with them. Channel uses it.
/// All of them share one communicator, whichever of the program's they belong to, because an MPI grants only some 2000 communicators.
class PiggybackMail {
 public:
  enum class MailTag : int { piggyback = 1, acknowledgement = 6, credit = 7 };  ///< the messages' tags

  /// `world` holds all processes. No other code may use it with these tags.
  explicit PiggybackMail(MPI_Comm world);
  PiggybackMail(const PiggybackMail&) = delete;
  PiggybackMail& operator=(const PiggybackMail&) = delete;
  ~PiggybackMail();
  /// Drops messages that this process hasn't received, and cancels those that nobody has received. All processes have stopped sending. The
  /// destructor must not do this, because a process that ends before MPI_Finalize must not call MPI.
  void close() noexcept;

  /// Returns whether another piggyback message may be sent to that process. Only so many are sent ahead of those that the process has taken:
  /// a receiver that never asks for them must not fill MPI's memory.
  [[nodiscard]] bool may_send_piggyback(int world_rank);
  /// Never blocks.
  void send(MailTag kind, const Piggyback& piggyback, const selective::KernelCounts& counts, int world_rank);
  /// Waits for the next message from that process.
  void receive(MailTag kind, int world_rank, Arrival& into);
  /// Returns the sender of a message that has come from `world_rank` or any process (MPI_ANY_SOURCE); doesn't wait.
  [[nodiscard]] std::optional<int> sender(MailTag kind, int world_rank);
  /// Returns the number of piggyback messages received from that process.
  [[nodiscard]] std::uint32_t received_from(int world_rank) const noexcept { return peers_[static_cast<std::size_t>(world_rank)].received; }

 private:
  struct Outgoing;
  Outgoing& free_slot();

  /// Counts of the piggyback messages to and from another process.
  struct Peer {
    std::uint32_t sent = 0, confirmed = 0, received = 0;
  };

  MPI_Comm world_;
  std::vector<Peer> peers_;       ///< index: rank in MPI_COMM_WORLD
  std::list<Outgoing> outgoing_;  ///< oldest first
};

}  // namespace flopcast::preload::mpi
