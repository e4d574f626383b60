#pragma once

#include <mpi.h>

#include "flopcast/core/mpi_values.hpp"
#include "flopcast/protocol/mpi_options.hpp"

/// Facts that all processes find together at the begin of a session. All functions are collective.
namespace flopcast::preload::mpi {

/// Ends all programs that were started together with different options. With different policies one would wait for messages that another
/// one doesn't send.
void require_same_options(const protocol::MpiOptions& options, MPI_Comm world);

/// Facts about this process's node.
struct NodeFacts {
  bool crowded = false;     ///< on some node the processes outnumber their cores, or the CPUs that a control group grants
  double granted_cpus = 0;  ///< granted by a control group that has more processes; 0: no limit
};
/// Looks at the node, and shares its memory.
[[nodiscard]] NodeFacts join_node(MPI_Comm world);

/// Measures messages between ranks 0 and 1. With `cpu_clock`, processes share cores, so that the shortest of several rounds counts.
[[nodiscard]] path::MessageModel measure_messages(MPI_Comm world, bool cpu_clock);

}  // namespace flopcast::preload::mpi
