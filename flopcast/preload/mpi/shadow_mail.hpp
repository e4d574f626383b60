#pragma once

#include <mpi.h>

#include <list>
#include <optional>

#include "flopcast/selective/path_counts.hpp"

namespace flopcast::preload::mpi {

struct Shadow;
struct Arrival;
struct Parcel;

/// Transports shadows as messages: to other nodes, while a ring is full, and where counts of kernels go with them. All shadows share one
/// communicator, whichever of the program's communicators they belong to, because an MPI grants only some 2000 communicators.
class ShadowMail {
 public:
  enum class Kind : int { shadow = 1, acknowledgement = 6 };  ///< the messages' tags

  /// `world` holds all processes. No other code may use it with these tags.
  explicit ShadowMail(MPI_Comm world) noexcept;
  ShadowMail(const ShadowMail&) = delete;
  ShadowMail& operator=(const ShadowMail&) = delete;
  ~ShadowMail();
  /// Cancels messages that nobody has received. The destructor must not do this, because a process that ends before MPI_Finalize must not
  /// call MPI.
  void close() noexcept;

  /// Never blocks.
  void send(Kind kind, const Shadow& shadow, const selective::KernelCounts& counts, int world_rank);
  /// Waits for the next message from that process.
  void receive(Kind kind, int world_rank, Arrival& into);
  /// Returns the sender of a message that has come from `world_rank` or any process (MPI_ANY_SOURCE); doesn't wait.
  [[nodiscard]] std::optional<int> sender(Kind kind, int world_rank);

 private:
  struct Outgoing;
  Outgoing& free_slot();

  MPI_Comm world_;
  std::list<Outgoing> outgoing_;  ///< oldest first
};

}  // namespace flopcast::preload::mpi
