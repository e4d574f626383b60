#pragma once

#include <link.h>

#include <string>
#include <vector>

#include "flopcast/protocol/mpi_profile.hpp"
#include "flopcast/support/bindings.hpp"

/// Other tools in the process that define MPI functions, as profiling tools do. Without flopcast the program calls the tool's MPI_Send,
/// which calls PMPI_Send. With flopcast, PMPI_Send in the tool leads to flopcast's MPI_Send, so that both see the program's calls.
namespace flopcast::preload::mpi {

/// Looks for other tools when this library is loaded, and lets the calls of the program and its libraries reach them before this library
/// and MPI after it. To be called before calls are redirected.
void find_other_tools();

/// Returns the function that `binding` of an object that is loaded later has to call, so that another tool comes before this library;
/// nullptr if the binding is to stay.
void* layered_function(const link_map& object, const Binding& binding) noexcept;

/// Returns the other tools of this process.
[[nodiscard]] std::vector<MpiOtherTool> other_tools();

/// Returns the tool whose function begins MPI without reaching this library; empty if there is none.
[[nodiscard]] std::string tool_that_hides_the_beginning();

}  // namespace flopcast::preload::mpi
