#pragma once

#include <mpi.h>

#include <list>
#include <optional>

#include "flopcast/selective/path_counts.hpp"

namespace flopcast::interpose::mpi {

struct Shadow;
struct Arrival;
struct Parcel;

/// Shadows that go as messages: to other nodes, while a ring is full, and where counts of kernels go with them. All of them share one
/// communicator, whichever of the program's communicators they belong to, since an MPI grants some 2000 of them in all.
class ShadowMail {
 public:
  enum class Kind : int { shadow = 1, acknowledgement = 6 };  ///< the messages' tags

  /// `world` holds all processes and is nobody else's, at least for these tags.
  explicit ShadowMail(MPI_Comm world) noexcept;
  ShadowMail(const ShadowMail&) = delete;
  ShadowMail& operator=(const ShadowMail&) = delete;
  ~ShadowMail();
  /// Gives up what nobody has received. Nothing for the destructor: a process that ends before MPI_Finalize mustn't call MPI.
  void close() noexcept;

  /// Never blocks.
  void send(Kind kind, const Shadow& shadow, const path::KernelCounts& counts, int world_rank);
  /// The next one from there; waits for it.
  void receive(Kind kind, int world_rank, Arrival& into);
  /// Who has sent one that has come, `world_rank` or anybody (MPI_ANY_SOURCE); doesn't wait.
  [[nodiscard]] std::optional<int> sender(Kind kind, int world_rank);

 private:
  struct Outgoing;
  Outgoing& free_slot();

  MPI_Comm world_;
  std::list<Outgoing> outgoing_;  ///< oldest first
};

}  // namespace flopcast::interpose::mpi
