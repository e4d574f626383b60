#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "flopcast/preload/kernels/routines.hpp"
#include "flopcast/preload/mpi/shadow.hpp"
#include "flopcast/path/message_model.hpp"

namespace flopcast::interpose::mpi {

/// The two agreements of a nonblocking collective, which MPI reads and writes until it is complete.
struct AgreementInFlight {
  Agreement mine, all;
  MPI_Request request = MPI_REQUEST_NULL;
  bool is_programs = false;  ///< the request is the program's own, and complete when that is
};

/// A receive or a collective that the program has begun.
struct Pending {
  Routine routine = Routine::irecv;
  std::shared_ptr<Channel> channel;
  int source = 0, tag = 0;  ///< as the program gave them, wildcards included
  bool cancelled = false;
  Seconds seen = -1;     ///< Session::asked() when its shadow, or one that may be its, was seen; negative: it hasn't been
  bool skipped = false;  ///< its message came empty, or it is a collective that was left out
  std::int64_t bytes = 0;
  void* buffer = nullptr;                 ///< of a receive
  MPI_Datatype type = MPI_DATATYPE_NULL;  ///< freed, perhaps, unless it is one of MPI's own
  path::Pattern pattern = path::Pattern::message;
  std::unique_ptr<AgreementInFlight> agreement;  ///< of collectives
  MPI_Comm made = MPI_COMM_NULL;                 ///< the communicator that is there when it is complete

  [[nodiscard]] bool is_receive() const noexcept { return agreement == nullptr; }
  /// It sends, too. MPICH 4.0 doesn't say in the status whose message has come.
  [[nodiscard]] bool is_exchange() const noexcept { return routine == Routine::isendrecv || routine == Routine::isendrecv_replace; }
  /// Its shadow can be received before it is complete.
  [[nodiscard]] bool names_its_message() const noexcept {
    return is_receive() && !cancelled && source != MPI_ANY_SOURCE && tag != MPI_ANY_TAG;
  }
};

/// What a persistent request does whenever it is started.
struct Persistent {
  Routine routine = Routine::send;
  std::shared_ptr<Channel> channel;
  int peer = 0, tag = 0;
  std::int64_t bytes = 0;
  bool receives = false;
};

/// The program's requests that are of interest. Several may be pending with the same handle: MPI hands out one for all that are complete at
/// once.
class Requests {
 public:
  void add(MPI_Request request, Pending pending);
  /// Takes the oldest with this handle.
  std::optional<Pending> take(MPI_Request request);
  [[nodiscard]] Pending* find(MPI_Request request);

  std::unordered_map<MPI_Request, Persistent> persistent;

 private:
  std::unordered_multimap<MPI_Request, Pending> pending_;
};

Requests& requests();

/// Tells the receiver of a message what led to it, and whether it is left empty; with nobody to tell if `channel` is nullptr.
void announce(Channel* channel, std::int64_t bytes, int destination, int tag, bool skipped = false);

/// Whether a communication may be left out at all: data in floating point, or of types derived from it, and not few. Integers and raw bytes
/// may steer the program.
bool may_be_skipped(std::int64_t bytes, MPI_Datatype type) noexcept;

/// A message came empty in place of `shadow.bytes`: its status says what the program expects.
void mend_status(const Shadow& shadow, MPI_Status& status) noexcept;

/// Where a message of `bytes` came empty lies what the program had there before: see settle_message().
void settle_empty(void* buffer, std::int64_t bytes, MPI_Datatype type);

/// Bytes of `count` elements; 0 where MPI refuses to tell.
std::int64_t message_bytes(std::int64_t count, MPI_Datatype type) noexcept;

}  // namespace flopcast::interpose::mpi
