#include <vector>

#include "flopcast/tasks/ask/command.hpp"
#include "flopcast/tasks/roofline/roofline.hpp"

namespace flopcast {

std::vector<Command> roofline_commands() {
  return {
      command<RooflineRequest>("roofline", "Measure the roofs of this machine: peaks, bandwidths, best gemm", "flopcast-roofline-1",
                               DoneIn::own_process,
                               [](const Workbench& bench, const RooflineRequest& request, const RunContext& context) {
                                 return measure_roofline(bench, request, context);
                               }),
      command<RooflineRequest>(
          "roofline_plan", "Say what a measurement of roofs would do", "flopcast-roofline-plan-1", DoneIn::own_process,
          [](const Workbench& bench, const RooflineRequest& request, const RunContext&) { return plan_roofline(bench, request); }),
  };
}

}  // namespace flopcast
