#pragma once

#include <string>
#include <vector>

#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/roofline/roof.hpp"
#include "flopcast/tasks/roofline/request.hpp"

namespace flopcast {

/// Returns the options of a request as they take effect on a machine, for the document.
roofline::EffectiveOptions effective_options(const RooflineRequest& request, const std::string& kernels, const machine::Topology& topology,
                                             const std::string& huge_pages);

/// Returns the names of the request's streams.
std::vector<std::string> stream_names(const RooflineRequest& request);

}  // namespace flopcast
