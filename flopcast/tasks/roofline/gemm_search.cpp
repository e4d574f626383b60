#include "flopcast/tasks/roofline/measurement.hpp"

#include <algorithm>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/roofline/thread_plan.hpp"

namespace flopcast {
namespace {

constexpr Seconds min_budget = 0.5;

roofline::GemmSetup gemm_setup(const GemmCase& one, const RooflineRequest& request, const machine::Topology& topology) {
  roofline::GemmSetup setup;
  setup.library = one.library;
  setup.routine = one.routine;
  setup.threads = one.threads;
  setup.affinity = request.affinity;
  setup.cpus = machine::choose_cpus(topology.places, one.threads, one.threads == 1 ? machine::Affinity::close : setup.affinity);
  return setup;
}

/// Returns options that divide `budget` between the search and the confirmation of its result.
roofline::GemmSearchOptions search_options(const RooflineRequest& request, const roofline::Roofline& found,
                                           const roofline::GemmSetup& setup, const Deadline& deadline, Seconds budget,
                                           const RunContext& context) {
  constexpr double max_confirming = 0.3;   // share of the time
  constexpr Seconds min_confirmation = 1;  // a fresh process takes tenths of a second
  constexpr std::int64_t quick_rounds = 8;
  roofline::GemmSearchOptions search;
  search.tolerance = request.tolerance;
  search.error_probability = request.error_probability;
  search.seed = request.seed;
  search.confirmation_budget = std::min(search.confirmation_budget, max_confirming * budget);
  search.time_budget = budget - search.confirmation_budget;
  if (request.quick) {
    search.max_rounds = quick_rounds;
  }
  if (request.quick || search.confirmation_budget < min_confirmation) {
    search.confirmed = 0;
  }
  if (const roofline::ComputeRoof* roof = best_compute(found, setup.threads, roofline::precision(setup.routine));
      roof != nullptr && request.stop_at > 0) {
    search.stop_at_flops = request.stop_at * roof->ceiling();
  }
  search.interrupted = [show = context.step(setup.routine), deadline, begin = deadline.now(), budget] {
    return !show(static_cast<std::int64_t>(1e3 * std::min(deadline.now() - begin, budget)), static_cast<std::int64_t>(1e3 * budget));
  };
  return search;
}

std::string settings_finding(const std::string& library, const ChosenKernels& kernels) {
  return fmt::format("{} was measured with {} in the environment, {}", library, format_settings(kernels.settings),
                     kernels.set_by_user ? "as it was set: without it the library may be faster"
                                         : "which chooses its kernels ('flopcast run' sets it too)");
}

}  // namespace

void search_gemms(const RooflineRequest& request, const machine::Topology& topology, RooflineMachine& machine, const Deadline& deadline,
                  roofline::Roofline& found, const RunContext& context) {
  const std::vector<GemmCase> cases = gemm_cases(request, thread_counts(request, topology),
                                                 request.blas.empty() ? machine.default_libraries() : DefaultLibraries(), found.findings);
  for (std::size_t i = 0; i < cases.size() && !context.cancelled(); ++i) {
    const GemmCase& one = cases[i];
    const Seconds share = deadline.left() / static_cast<double>(cases.size() - i);
    if (i > 0 && share < min_budget) {
      add_once(found.findings, fmt::format("no time was left for {} of {} with {}: a larger --time-budget searches it", one.routine,
                                           one.library, counted(one.threads, "thread")));
      continue;
    }
    roofline::GemmSetup setup = gemm_setup(one, request, topology);
    const ChosenKernels kernels = machine.choose_kernels(one.library);
    setup.settings = kernels.settings;
    try {
      roofline::GemmRoof roof = machine.search_gemm(setup, gemm_space_of(request),
                                                    search_options(request, found, setup, deadline, std::max(min_budget, share), context));
      roof.setting = format_settings(kernels.settings);
      found.gemm.push_back(std::move(roof));
    } catch (const Error& error) {
      if (one.threads == 1 || error.code() != ExitCode::bad_input) {
        context.throw_if_cancelled("no gemm was measured");
        throw;
      }
      add_once(found.findings, fmt::format("{} with {}: {}", one.library, counted(one.threads, "thread"), error.what()));
      continue;
    }
    if (!kernels.settings.empty()) {
      add_once(found.findings, settings_finding(one.library, kernels));
    }
  }
}

}  // namespace flopcast
