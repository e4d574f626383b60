#include "flopcast/preload/mpi/traffic.hpp"

#include <algorithm>

namespace flopcast::preload::mpi {
namespace {

Traffic sent;  ///< messages of the followed thread; other threads send none of flopcast's messages
Traffic all;

}  // namespace

void count_sent(std::size_t bytes) noexcept {
  const auto size = static_cast<double>(bytes);
  sent.messages += 1;
  sent.bytes += size;
  sent.largest_bytes = std::max(sent.largest_bytes, size);
}

void collect_traffic(MPI_Comm world) {
  PMPI_Reduce(&sent.messages, &all.messages, 1, MPI_DOUBLE, MPI_SUM, 0, world);
  PMPI_Reduce(&sent.bytes, &all.bytes, 1, MPI_DOUBLE, MPI_SUM, 0, world);
  PMPI_Reduce(&sent.largest_bytes, &all.largest_bytes, 1, MPI_DOUBLE, MPI_MAX, 0, world);
}

void forget_traffic() noexcept { sent = {}; }

const Traffic& traffic_of_all() noexcept { return all; }

}  // namespace flopcast::preload::mpi
