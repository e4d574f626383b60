#include "flopcast/preload/smpi/collective.hpp"

namespace flopcast::preload::smpi {

std::vector<ProcessArrival> needed(const OpenCollective& collective, const Group& group, const Description& description) {
  const auto waits_for = [&](int rank) {
    const bool is_needed = description.needs == Needs::root ? rank == description.root : group.rank == description.root;
    return rank != group.rank && (description.needs == Needs::everybody || is_needed);
  };
  const ProcessArrival* last = last_arrival(collective, now(), waits_for);
  return last != nullptr ? std::vector<ProcessArrival>{*last} : std::vector<ProcessArrival>();
}

}  // namespace flopcast::preload::smpi

using namespace flopcast::preload::smpi;

extern "C" {

#pragma GCC visibility push(default)

int MPI_Comm_free(MPI_Comm* comm) {
  if (SmpiProcess* process = simulation() != nullptr ? simulation()->current() : nullptr) {
    process->forget(*comm);
  }
  return PMPI_Comm_free(comm);
}

#pragma GCC visibility pop
}
