#pragma once

#include <algorithm>
#include <cstddef>

#include "flopcast/protocol/mpi_profile.hpp"

namespace flopcast::preload::mpi {

/// Flopcast's own messages that the traced thread of this process has sent while the program ran: piggyback messages, acknowledgements,
/// counts of kernels, and parts in collectives, which count as one message of each process. Other threads send none.
inline MpiTraffic own_traffic;

/// Notes that this process sends a message of so many bytes.
inline void count_sent(std::size_t bytes) noexcept {
  const auto size = static_cast<double>(bytes);
  own_traffic.messages += 1;
  own_traffic.bytes += size;
  own_traffic.largest_bytes = std::max(own_traffic.largest_bytes, size);
}

}  // namespace flopcast::preload::mpi
