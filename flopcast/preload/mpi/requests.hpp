#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "flopcast/core/mpi_values.hpp"
#include "flopcast/preload/kernels/routine_list.hpp"
#include "flopcast/preload/mpi/call_gate.hpp"
#include "flopcast/preload/mpi/piggyback.hpp"

namespace flopcast::preload::mpi {

/// The two agreements of a nonblocking collective, which MPI reads and writes until they are complete.
struct AgreementInFlight {
  Agreement mine, all;
  MPI_Request request = MPI_REQUEST_NULL;
  bool is_programs = false;  ///< the request is the program's own, and both are complete together
};

/// A receive or a collective that the program has begun.
struct Pending {
  Routine routine = Routine::irecv;
  std::shared_ptr<Channel> channel;
  int source = 0, tag = 0;  ///< the program's values, wildcards included
  bool cancelled = false;
  /// Polling::seconds() when its piggyback message, or one that may be its own, was seen; negative: not seen yet.
  Seconds seen = -1;
  bool skipped = false;  ///< its message came empty, or it is a collective that was skipped
  std::int64_t bytes = 0;
  void* buffer = nullptr;                 ///< buffer of a receive
  MPI_Datatype type = MPI_DATATYPE_NULL;  ///< may have been freed, unless it is one of MPI's own
  path::Pattern pattern = path::Pattern::message;
  std::unique_ptr<AgreementInFlight> agreement;  ///< for collectives
  MPI_Comm made = MPI_COMM_NULL;                 ///< the communicator that exists when the request is complete

  [[nodiscard]] bool is_receive() const noexcept { return agreement == nullptr; }
  [[nodiscard]] Communication communication() const noexcept { return channel->communication(routine, bytes, pattern); }
  /// Returns whether it also sends. MPICH 4.0 doesn't set the source of the message in the status of such requests.
  [[nodiscard]] bool is_exchange() const noexcept { return routine == Routine::isendrecv || routine == Routine::isendrecv_replace; }
  /// Returns whether its piggyback message can be received before the request is complete.
  [[nodiscard]] bool names_its_message() const noexcept {
    return is_receive() && !cancelled && source != MPI_ANY_SOURCE && tag != MPI_ANY_TAG;
  }
};

/// The communication that a persistent request makes whenever it is started.
struct Persistent {
  Routine routine = Routine::send;
  std::shared_ptr<Channel> channel;
  int peer = 0, tag = 0;
  std::int64_t bytes = 0;
  bool receives = false;
};

/// The program's requests that matter here. Several may be pending with the same handle, because MPI uses one for all that are complete at
/// once.
class Requests {
 public:
  void add(MPI_Request request, Pending pending);
  /// Takes the oldest request with this handle.
  std::optional<Pending> take(MPI_Request request);
  [[nodiscard]] Pending* find(MPI_Request request);
  [[nodiscard]] bool has_collectives() const noexcept { return collectives_ > 0; }

  std::unordered_map<MPI_Request, Persistent> persistent;

 private:
  std::unordered_multimap<MPI_Request, Pending> pending_;
  int collectives_ = 0;  ///< among them
};

Requests& requests();

/// Returns whether a poll of MPI that begins now goes untimed (see Polling), and counts the poll if so. Those beside pending collectives don't:
/// flopcast has to ask whether their processes have agreed.
bool poll_goes_untimed() noexcept;
/// Runs `poll`, which calls MPI, without tracing it or what MPI calls.
template <class Poll>
int untraced(Poll poll) {
  CallGate::enter_function();
  const int result = poll();
  CallGate::leave_function();
  return result;
}

/// Returns the pending request of a collective whose processes begin to agree now; `mine` is this process's part.
Pending agreement_begun(Routine routine, Channel& channel, const Agreement& mine);

/// Sends the receiver of a message its piggyback message, and whether the message is left empty. Returns false if no piggyback message has
/// been sent: there is no such receiver, `channel` is nullptr, or the receiver takes no piggyback messages. The message must not be left
/// empty then.
bool announce(Channel* channel, std::int64_t bytes, int destination, int tag, bool skipped = false);

/// Returns the length of a message that has come. MPI_Get_count would take a tenth of a short message's time.
std::int64_t received_bytes(const MPI_Status& status) noexcept;

/// Counts a message that has come with `piggyback` or, if that is nullptr, without one. Returns `piggyback`.
const Arrival* count_piggyback(const Arrival* piggyback) noexcept;
/// Does the same and returns the length of the program's message, which came with this status.
std::int64_t counted_bytes(const Arrival* piggyback, const MPI_Status& status) noexcept;

/// Returns whether a communication may be skipped at all: data in floating point, or of types derived from it, and enough of them.
/// Integers and raw bytes may steer the program.
bool may_be_skipped(std::int64_t bytes, MPI_Datatype type) noexcept;

/// Sets the status that the program expects for a message that came empty in place of `piggyback.bytes`.
void restore_status(const Piggyback& piggyback, MPI_Status& status) noexcept;

/// Replaces unusual numbers in the buffer of a message of `bytes` that came empty, which still holds older data: see clean_message().
void clean_empty(void* buffer, std::int64_t bytes, MPI_Datatype type);

/// Returns the bytes of `count` elements; 0 where MPI refuses the type.
std::int64_t message_bytes(std::int64_t count, MPI_Datatype type) noexcept;

}  // namespace flopcast::preload::mpi
