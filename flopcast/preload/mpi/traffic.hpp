#pragma once

#include <algorithm>
#include <cstddef>

namespace flopcast::preload::mpi {

/// Flopcast's own messages that processes have sent while the program ran: shadows, acknowledgements, counts of kernels, and parts in
/// collectives, which count as one message of each process.
struct Traffic {
  double messages = 0;
  double bytes = 0;
  double largest_bytes = 0;  ///< size of the largest message
};

/// Messages of the followed thread; other threads send none of flopcast's messages.
inline Traffic own_traffic;

/// Notes that this process sends a message of so many bytes.
inline void count_sent(std::size_t bytes) noexcept {
  const auto size = static_cast<double>(bytes);
  own_traffic.messages += 1;
  own_traffic.bytes += size;
  own_traffic.largest_bytes = std::max(own_traffic.largest_bytes, size);
}

}  // namespace flopcast::preload::mpi
