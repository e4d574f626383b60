#include <mpi.h>

#include <algorithm>
#include <array>

#include "flopcast/preload/mpi/collective.hpp"

namespace flopcast::preload::mpi {
namespace {

/// Returns whether a nonblocking collective may be skipped. All processes must decide alike without communication, so the number of bytes
/// must be the same in each.
bool is_skippable(Routine routine, const Collective& collective) {
  constexpr std::array uneven = {Routine::igatherv, Routine::iscatterv, Routine::ialltoallv, Routine::ialltoallw};
  return std::find(uneven.begin(), uneven.end(), routine) == uneven.end() && may_be_skipped(collective.bytes, collective.type);
}

}  // namespace

bool is_skipped(Routine routine, const Collective& collective, Channel& channel) {
  if (!is_skippable(routine, collective)) {
    return false;
  }
  TracingSession& all = *session();
  const std::uint32_t kernel = all.kernels.number(channel.communication(routine, collective.bytes));
  const std::uint64_t kind = selective::KernelKeyHash()(all.kernels.table[kernel].key);
  channel.votes().vote(kind, all.ledger.wants_execution(kernel));
  return !channel.votes().executes(kind);
}

}  // namespace flopcast::preload::mpi
