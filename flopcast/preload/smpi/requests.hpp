#pragma once

#include <optional>
#include <vector>

#include "flopcast/preload/smpi/simulation.hpp"

namespace flopcast::preload::smpi {

/// Returns the bytes of `count` elements.
std::int64_t bytes_of(int count, MPI_Datatype type);

/// Returns the present time and path of the process.
ProcessArrival arrival_of(SmpiProcess& process);

/// Begins a send or a receive. Returns nothing if the message goes nowhere, or to another program's processes. A receive with wildcards
/// finds out its message at its end.
std::optional<OpenRequest> begin(SmpiProcess& process, const MessageEnvelope& envelope);

/// Adds the arrivals that the request's completion needed. The request is then finished.
void add_others(SmpiProcess& process, OpenRequest& pending, const MPI_Status* status, std::vector<ProcessArrival>& others);

/// Remembers the communication of a request of this process from here on.
void remember(SmpiProcess& process, MPI_Request request, std::optional<OpenRequest> pending);

/// Returns the kernel of a communication of `bytes` between two processes.
std::uint32_t message_kernel(mpi::Routine routine, std::int64_t bytes, const Group* group);

}  // namespace flopcast::preload::smpi
