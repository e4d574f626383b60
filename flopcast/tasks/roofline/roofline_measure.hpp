#pragma once

#include <string>
#include <vector>

#include "flopcast/roofline/roof.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/roofline/roofline_request.hpp"

namespace flopcast {

/// Measures the machine as the options ask for. After Ctrl-C it is what was measured until then.
roofline::Roofline measure_roofline(const RooflineOptions& options, const RunContext& context);

/// The steps that a measurement would take.
struct RooflinePlan {
  struct Step {
    std::string what, how;
  };
  std::vector<Step> steps;
  std::vector<std::string> findings;  ///< limits of this machine and of the libraries, as sentences
};

/// Plans a measurement without measuring anything.
RooflinePlan plan_roofline(const RooflineOptions& options);

}  // namespace flopcast
