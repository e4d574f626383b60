#include <fmt/format.h>

#include "flopcast/support/units.hpp"
#include "flopcast/tasks/roofline/diagnoses.hpp"
#include "flopcast/tasks/roofline/measurement.hpp"
#include "flopcast/tasks/roofline/thread_plan.hpp"

namespace flopcast {

RooflinePlan plan_roofline(const RooflineRequest& request, RooflineMachine& machine) {
  const machine::Topology topology = requested_cores(request, machine.topology());
  const std::vector<int> counts = thread_counts(request, topology);
  RooflinePlan plan;
  plan.findings = diagnoses(Moment::begin, {request, topology});
  for (const int threads : counts) {
    plan.steps.push_back(
        {counted(threads, "thread"), "CPU " + machine::format_cpu_list(machine::choose_cpus(topology.places, threads, request.affinity))});
  }
  if (!request.searches_gemm) {
    return plan;
  }
  const roofline::GemmSpace space = gemm_space_of(request);
  const DefaultLibraries defaults = request.blas.empty() ? machine.default_libraries() : DefaultLibraries();
  for (const GemmCase& one : gemm_cases(request, counts, defaults, plan.findings)) {
    plan.steps.push_back({fmt::format("{} of {}, {}", one.routine, one.library, counted(one.threads, "thread")),
                          fmt::format("race over {} shapes, matrices of up to {}", space.shapes.size(),
                                      format_bytes(8.0 * static_cast<double>(space.elements())))});
  }
  return plan;
}

}  // namespace flopcast
