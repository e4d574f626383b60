#pragma once

#include <optional>
#include <vector>

#include "flopcast/preload/smpi/simulation.hpp"

namespace flopcast::interpose::smpi {

/// Bytes of `count` elements.
std::int64_t bytes_of(int count, MPI_Datatype type);

/// Where the process stands now.
Arrival arrival_of(const Process& process);

/// A message begins; nothing if it goes nowhere or to another program's processes.
std::optional<Pending> begin_send(Process& process, int destination, int tag, MPI_Comm comm, std::int64_t bytes);
/// The same of a receive; one from anybody learns at its end from `status` what it has received.
std::optional<Pending> begin_receive(Process& process, int source, int tag, MPI_Comm comm, std::int64_t bytes);

/// Who must have been there for it to be complete. The request has done its part then.
void add_others(Process& process, Pending& pending, const MPI_Status* status, std::vector<Arrival>& others);

/// What a request of this process stands for from here on.
void remember(Process& process, MPI_Request request, std::optional<Pending> pending);

/// The kernel of a communication of `bytes` between two.
std::uint32_t message_kernel(mpi::Routine routine, std::int64_t bytes, const Group* group);

}  // namespace flopcast::interpose::smpi
