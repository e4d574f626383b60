#pragma once

#include <mpi.h>

#include <cstddef>

namespace flopcast::preload::mpi {

/// Flopcast's own messages that processes have sent while the program ran: shadows, acknowledgements, counts of kernels, and parts in
/// collectives, which count as one message of each process. The struct holds only doubles, because it is reduced.
struct Traffic {
  double messages = 0;
  double bytes = 0;
  double largest_bytes = 0;  ///< size of the largest message
};

/// Notes that this process sends a message of so many bytes.
void count_sent(std::size_t bytes) noexcept;

/// Adds up the counts of all processes for rank 0. Collective.
void collect_traffic(MPI_Comm world);

/// Sets the counts to zero.
void forget_traffic() noexcept;

/// Returns the result of collect_traffic(), at rank 0.
const Traffic& traffic_of_all() noexcept;

}  // namespace flopcast::preload::mpi
