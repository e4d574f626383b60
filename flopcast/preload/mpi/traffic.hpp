#pragma once

#include <mpi.h>

#include <cstddef>

namespace flopcast::interpose::mpi {

/// Messages of our own that processes have sent while the program ran: shadows, acknowledgements, counts of kernels, and parts in
/// collectives of our own, which count as one message of each process. A plain record of doubles, since it is reduced.
struct Traffic {
  double messages = 0;
  double bytes = 0;
  double largest_bytes = 0;  ///< of one message
};

/// This process sends a message of so many bytes.
void count_sent(std::size_t bytes) noexcept;

/// Adds up what all processes have counted so far, for rank 0. Collective.
void collect_traffic(MPI_Comm world);

/// Counts anew.
void forget_traffic() noexcept;

/// What collect_traffic() has found, at rank 0.
const Traffic& traffic_of_all() noexcept;

}  // namespace flopcast::interpose::mpi
