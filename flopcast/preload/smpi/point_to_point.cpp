#include "flopcast/preload/smpi/requests.hpp"

namespace flopcast::preload::smpi {
namespace {

using mpi::Routine;

/// Ends a message of a blocking function.
void finish(const InterceptGuard& inside, Routine routine, std::optional<Pending>& pending, const MPI_Status* status, double bytes_sent) {
  std::vector<Arrival> others;
  if (pending) {
    add_others(inside.process(), *pending, status, others);
  }
  simulation()->communicated(inside.process(),
                             message_kernel(routine, pending ? pending->bytes : 0, pending ? pending->group.get() : nullptr),
                             inside.entered(), others, bytes_sent);
}

/// Makes a blocking send of any kind.
template <class Send>
int send(Routine routine, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, Send call) {
  const InterceptGuard inside;
  if (!inside) {
    return call();
  }
  const std::int64_t bytes = bytes_of(count, type);
  std::optional<Pending> pending = begin_send(inside.process(), destination, tag, comm, bytes);
  const int result = call();
  finish(inside, routine, pending, nullptr, static_cast<double>(bytes));
  return result;
}

/// Calls any function that begins a message and makes a request.
template <class Begin, class Call>
int begin_request(Routine routine, Begin begin, MPI_Request* request, Call call) {
  const InterceptGuard inside;
  if (!inside) {
    return call();
  }
  std::optional<Pending> pending = begin(inside.process());
  const std::shared_ptr<const Group> group = pending ? pending->group : nullptr;
  const std::int64_t bytes = pending ? pending->bytes : 0;
  const double bytes_sent = pending && pending->sends ? static_cast<double>(bytes) : 0;
  const int result = call();
  remember(inside.process(), *request, std::move(pending));
  simulation()->communicated(inside.process(), message_kernel(routine, bytes, group.get()), inside.entered(), {}, bytes_sent);
  return result;
}

template <class Call>
int begin_isend(Routine routine, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request, Call call) {
  return begin_request(
      routine, [&](Process& process) { return begin_send(process, destination, tag, comm, bytes_of(count, type)); }, request, call);
}

/// Keeps the communication of a persistent request, which begins whenever the program starts it.
int keep_persistent(int result, MPI_Request request, const Persistent& what) {
  Process* process = simulation() != nullptr ? simulation()->current() : nullptr;
  if (process != nullptr && result == MPI_SUCCESS) {
    process->persistent[request] = what;
  }
  return result;
}

/// Makes a combined receive and send, which waits for both partners.
template <class Call>
int exchange(Routine routine, int send_count, MPI_Datatype send_type, int destination, int send_tag, int receive_count,
             MPI_Datatype receive_type, int source, int receive_tag, MPI_Comm comm, MPI_Status* status, Call call) {
  const InterceptGuard inside;
  if (!inside) {
    return call(status);
  }
  MPI_Status own;
  MPI_Status* filled = status == MPI_STATUS_IGNORE ? &own : status;
  const std::int64_t bytes = bytes_of(send_count, send_type);
  std::optional<Pending> sent = begin_send(inside.process(), destination, send_tag, comm, bytes);
  std::optional<Pending> received = begin_receive(inside.process(), source, receive_tag, comm, bytes_of(receive_count, receive_type));
  const int result = call(filled);
  std::vector<Arrival> others;
  for (std::optional<Pending>* pending : {&sent, &received}) {
    if (*pending) {
      add_others(inside.process(), **pending, filled, others);
    }
  }
  simulation()->communicated(inside.process(), message_kernel(routine, bytes, inside.process().group(comm).get()), inside.entered(), others,
                             static_cast<double>(bytes));
  return result;
}

}  // namespace
}  // namespace flopcast::preload::smpi

using namespace flopcast::preload::smpi;
using flopcast::preload::mpi::Routine;

extern "C" {

#pragma GCC visibility push(default)

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm) {
  return send(Routine::send, count, type, destination, tag, comm, [&] { return PMPI_Send(buffer, count, type, destination, tag, comm); });
}

int MPI_Ssend(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm) {
  return send(Routine::ssend, count, type, destination, tag, comm, [&] { return PMPI_Ssend(buffer, count, type, destination, tag, comm); });
}

int MPI_Bsend(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm) {
  return send(Routine::bsend, count, type, destination, tag, comm, [&] { return PMPI_Bsend(buffer, count, type, destination, tag, comm); });
}

int MPI_Rsend(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm) {
  return send(Routine::rsend, count, type, destination, tag, comm, [&] { return PMPI_Rsend(buffer, count, type, destination, tag, comm); });
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const InterceptGuard inside;
  if (!inside) {
    return PMPI_Recv(buffer, count, type, source, tag, comm, status);
  }
  MPI_Status own;
  MPI_Status* filled = status == MPI_STATUS_IGNORE ? &own : status;
  std::optional<Pending> pending = begin_receive(inside.process(), source, tag, comm, bytes_of(count, type));
  const int result = PMPI_Recv(buffer, count, type, source, tag, comm, filled);
  finish(inside, Routine::recv, pending, filled, 0);
  return result;
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  return begin_isend(Routine::isend, count, type, destination, tag, comm, request,
                     [&] { return PMPI_Isend(buffer, count, type, destination, tag, comm, request); });
}

int MPI_Issend(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  return begin_isend(Routine::issend, count, type, destination, tag, comm, request,
                     [&] { return PMPI_Issend(buffer, count, type, destination, tag, comm, request); });
}

int MPI_Ibsend(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  return begin_isend(Routine::ibsend, count, type, destination, tag, comm, request,
                     [&] { return PMPI_Ibsend(buffer, count, type, destination, tag, comm, request); });
}

int MPI_Irsend(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  return begin_isend(Routine::irsend, count, type, destination, tag, comm, request,
                     [&] { return PMPI_Irsend(buffer, count, type, destination, tag, comm, request); });
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return begin_request(
      Routine::irecv, [&](Process& process) { return begin_receive(process, source, tag, comm, bytes_of(count, type)); }, request,
      [&] { return PMPI_Irecv(buffer, count, type, source, tag, comm, request); });
}

int MPI_Send_init(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  const int result = PMPI_Send_init(buffer, count, type, destination, tag, comm, request);
  return keep_persistent(result, *request, {true, destination, tag, comm, bytes_of(count, type)});
}

int MPI_Ssend_init(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  const int result = PMPI_Ssend_init(buffer, count, type, destination, tag, comm, request);
  return keep_persistent(result, *request, {true, destination, tag, comm, bytes_of(count, type)});
}

int MPI_Bsend_init(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  const int result = PMPI_Bsend_init(buffer, count, type, destination, tag, comm, request);
  return keep_persistent(result, *request, {true, destination, tag, comm, bytes_of(count, type)});
}

int MPI_Rsend_init(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request) {
  const int result = PMPI_Rsend_init(buffer, count, type, destination, tag, comm, request);
  return keep_persistent(result, *request, {true, destination, tag, comm, bytes_of(count, type)});
}

int MPI_Recv_init(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  const int result = PMPI_Recv_init(buffer, count, type, source, tag, comm, request);
  return keep_persistent(result, *request, {false, source, tag, comm, bytes_of(count, type)});
}

int MPI_Sendrecv(const void* sent, int send_count, MPI_Datatype send_type, int destination, int send_tag, void* received, int receive_count,
                 MPI_Datatype receive_type, int source, int receive_tag, MPI_Comm comm, MPI_Status* status) {
  return exchange(Routine::sendrecv, send_count, send_type, destination, send_tag, receive_count, receive_type, source, receive_tag, comm,
                  status, [&](MPI_Status* filled) {
                    return PMPI_Sendrecv(sent, send_count, send_type, destination, send_tag, received, receive_count, receive_type, source,
                                         receive_tag, comm, filled);
                  });
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int destination, int send_tag, int source, int receive_tag,
                         MPI_Comm comm, MPI_Status* status) {
  return exchange(Routine::sendrecv_replace, count, type, destination, send_tag, count, type, source, receive_tag, comm, status,
                  [&](MPI_Status* filled) {
                    return PMPI_Sendrecv_replace(buffer, count, type, destination, send_tag, source, receive_tag, comm, filled);
                  });
}

#pragma GCC visibility pop
}
