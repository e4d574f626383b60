#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "flopcast/preload/smpi/requests.hpp"

/// How messages between two processes are traced. The functions that send and begin messages come from mpi/functions.txt.
namespace flopcast::preload::smpi {

/// Sends or receives a message through `call`, which fills a status of its own if the program ignores it.
template <class Call>
int transferred(mpi::Routine routine, const MessageEnvelope& envelope, MPI_Status* status, Call call) {
  const SimulatedCall inside;
  if (!inside) {
    return call(status);
  }
  MPI_Status own;
  MPI_Status* filled = status == MPI_STATUS_IGNORE ? &own : status;
  std::optional<OpenRequest> pending = begin(inside.process(), envelope);
  const int result = call(filled);
  std::vector<ProcessArrival> others;
  if (pending) {
    add_others(inside.process(), *pending, envelope.sends ? nullptr : filled, others);
  }
  simulation()->communicated(inside.process(),
                             message_kernel(routine, pending ? pending->bytes : 0, pending ? pending->group.get() : nullptr),
                             inside.entered(), others, envelope.sends ? static_cast<double>(envelope.bytes) : 0);
  return result;
}

/// Begins a message through `call`, which makes a request.
template <class Call>
int begun_message(mpi::Routine routine, const MessageEnvelope& envelope, MPI_Request* request, Call call) {
  const SimulatedCall inside;
  if (!inside) {
    return call();
  }
  std::optional<OpenRequest> pending = begin(inside.process(), envelope);
  const std::shared_ptr<const Group> group = pending ? pending->group : nullptr;
  const std::int64_t bytes = pending ? pending->bytes : 0;
  const int result = call();
  remember(inside.process(), *request, std::move(pending));
  simulation()->communicated(inside.process(), message_kernel(routine, bytes, group.get()), inside.entered(), {},
                             envelope.sends ? static_cast<double>(bytes) : 0);
  return result;
}

/// Keeps the message of a persistent request, which begins whenever the program starts the request. Returns `result`, the call's.
inline int kept_message(int result, const MessageEnvelope& envelope, const MPI_Request* request) {
  SmpiProcess* process = simulation() != nullptr ? simulation()->current() : nullptr;
  if (process != nullptr && result == MPI_SUCCESS) {
    process->persistent[*request] = envelope;
  }
  return result;
}

}  // namespace flopcast::preload::smpi
