#include "flopcast/preload/smpi/point_to_point.hpp"

namespace flopcast::preload::smpi {
namespace {

using mpi::Routine;

/// Makes a combined receive and send, which waits for both partners.
template <class Call>
int exchange(Routine routine, int send_count, MPI_Datatype send_type, int destination, int send_tag, int receive_count,
             MPI_Datatype receive_type, int source, int receive_tag, MPI_Comm comm, MPI_Status* status, Call call) {
  const SimulatedCall inside;
  if (!inside) {
    return call(status);
  }
  MPI_Status own;
  MPI_Status* filled = status == MPI_STATUS_IGNORE ? &own : status;
  const std::int64_t bytes = bytes_of(send_count, send_type);
  std::optional<OpenRequest> sent = begin(inside.process(), {true, destination, send_tag, comm, bytes});
  std::optional<OpenRequest> received = begin(inside.process(), {false, source, receive_tag, comm, bytes_of(receive_count, receive_type)});
  const int result = call(filled);
  std::vector<ProcessArrival> others;
  for (std::optional<OpenRequest>* pending : {&sent, &received}) {
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
