#include "flopcast/core/mpi_values.hpp"

#include <algorithm>
#include <cmath>

#include "flopcast/support/error.hpp"

namespace flopcast::path {

Seconds MessageModel::seconds(Pattern pattern, double bytes, int processes) const {
  const double transfer = bytes / bytes_per_second;
  if (pattern == Pattern::message) {
    return latency + transfer;
  }
  const double p = processes;
  const double rounds = std::ceil(std::log2(std::max(p, 1.0)));
  const double rest = (p - 1) / p;  // share of the data that comes from other processes
  switch (pattern) {
    case Pattern::message: break;
    case Pattern::barrier: return rounds * latency;
    case Pattern::broadcast: return std::min(rounds * (latency + transfer), (rounds + p - 1) * latency + 2 * rest * transfer);
    case Pattern::reduce:
    case Pattern::allreduce: return std::min(rounds * (latency + transfer), 2 * rounds * latency + 2 * rest * transfer);
    case Pattern::gather:
    case Pattern::scatter:
    case Pattern::allgather:
    case Pattern::reduce_scatter: return rounds * latency + rest * transfer;
    case Pattern::alltoall: return std::min(rounds * (latency + transfer / 2), (p - 1) * latency + rest * transfer);
    case Pattern::scan: return rounds * (latency + transfer);
  }
  throw internal_error("unknown communication pattern {}", static_cast<int>(pattern));
}

}  // namespace flopcast::path
