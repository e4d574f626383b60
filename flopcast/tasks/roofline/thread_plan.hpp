#pragma once

#include <string>
#include <vector>

#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/tasks/roofline/roofline.hpp"
#include "flopcast/tasks/roofline/roofline_machine.hpp"

namespace flopcast {

/// Returns the machine with the kind of cores that the request asks for. Roofs of cores of several kinds would be the roofs of none.
machine::Topology requested_cores(const RooflineRequest& request, const machine::Topology& topology);

/// Returns the largest number of threads.
int max_threads(const RooflineRequest& request, const machine::Topology& topology);

/// Returns the numbers of threads to measure: 1, one socket's cores where there are several sockets, and all.
std::vector<int> thread_counts(const RooflineRequest& request, const machine::Topology& topology);

/// Returns the CPUs of a team for each of thread_counts(). Smaller teams have close threads, so that they stay on one socket.
std::vector<std::vector<int>> team_cpus(const RooflineRequest& request, const machine::Topology& topology);

/// One search: a gemm of a library with a number of threads.
struct GemmCase {
  std::string routine;
  std::string library;
  int threads = 1;
  friend bool operator==(const GemmCase&, const GemmCase&) = default;
};

/// Returns the gemms to search, for each of `threads`. Adds a finding where a library lacks.
std::vector<GemmCase> gemm_cases(const RooflineRequest& request, const std::vector<int>& threads, const DefaultLibraries& defaults,
                                 std::vector<std::string>& findings);

}  // namespace flopcast
