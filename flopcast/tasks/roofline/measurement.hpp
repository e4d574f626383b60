#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/roofline/roof.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/roofline/deadline.hpp"
#include "flopcast/tasks/roofline/roofline.hpp"
#include "flopcast/tasks/roofline/roofline_machine.hpp"

namespace flopcast {

/// Measures the roofs of `machine` step by step. `kernels` is as in machine::LibraryChoice. Half of the roofs' samples are taken before the
/// search of gemm and half after it, so that a disturbance of some seconds doesn't hit all of them.
roofline::Roofline measure_roofline(const RooflineRequest& request, const std::string& kernels, RooflineMachine& machine,
                                    const RunContext& context);

/// Plans a measurement of `machine` without measuring.
RooflinePlan plan_roofline(const RooflineRequest& request, RooflineMachine& machine);

/// Searches the best gemm of every library and number of threads until the deadline, and adds roofs and findings to `found`. The first
/// search runs for half a second at least. Throws what the search of the first library throws.
void search_gemms(const RooflineRequest& request, const machine::Topology& topology, RooflineMachine& machine, const Deadline& deadline,
                  roofline::Roofline& found, const RunContext& context);

/// Adds a finding unless it is there already.
inline void add_once(std::vector<std::string>& findings, std::string finding) {
  if (std::find(findings.begin(), findings.end(), finding) == findings.end()) {
    findings.push_back(std::move(finding));
  }
}

}  // namespace flopcast
