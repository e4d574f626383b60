#include "flopcast/tasks/mpi/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "flopcast/cache/placement.hpp"
#include "flopcast/core/trace_json.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/measure/reference_kernels.hpp"
#include "flopcast/measure/system_backend.hpp"
#include "flopcast/predict/placed_models.hpp"
#include "flopcast/predict/predict.hpp"
#include "flopcast/protocol/smpi_options.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tune/design.hpp"
#include "flopcast/workbench/on_demand_sampling.hpp"

namespace flopcast {
namespace {

using nlohmann::json;

constexpr std::int64_t max_traced_calls = 100000;
constexpr int max_rounds = 3;
constexpr double agreement = 0.005;

/// A Ctrl-C ends the simulator as well: then it isn't the program that failed.
json simulated(const interpose::SmpiSimulation& simulation, const RunContext& context) {
  try {
    return run_simulation(simulation);
  } catch (const Error&) {
    context.throw_if_cancelled("what was measured of kernels is kept");
    throw;
  }
}

/// The calls of some of the simulated processes.
struct TracedCalls {
  tuning::Subject subject;
  cache::CacheState state;
  std::vector<std::size_t> kernels;  ///< of every call: its place in the result's list
};

/// Caches as one of several processes on a host has them: of the last one, if cores share it, it has a part.
std::vector<CacheLevel> caches_of_process(std::vector<CacheLevel> caches, int processes) {
  const std::vector<machine::ReportedCache> reported = machine::detect_topology().caches;
  const int sharing = caches.size() > 1 && !reported.empty() ? std::min(processes, reported.back().cores) : 1;
  if (sharing > 1) {
    CacheLevel& last = caches.back();
    for (std::int64_t* bytes : {&last.capacity_bytes, &last.capacity_low_bytes, &last.capacity_high_bytes}) {
      *bytes = std::max(*bytes / sharing, caches[caches.size() - 2].capacity_bytes);
    }
  }
  return caches;
}

std::vector<TracedCalls> traced_calls(const json& result, std::span<const CacheLevel> caches) {
  std::vector<TracedCalls> all;
  for (const json& document : result.at("traces")) {
    TracedCalls traced;
    traced.subject.trace = trace_from_json(document.at("trace"), kernel::find);
    traced.state = cache::cache_state(traced.subject.trace, caches, cache::Start::filled);
    traced.subject.placements = traced.state.placements;
    document.at("kernels").get_to(traced.kernels);
    all.push_back(std::move(traced));
  }
  return all;
}

/// What is to be measured well: each process's calls as a whole, and the first calls of each kernel by itself, as the roofline that stands in
/// for a model without samples promises too much for short calls.
std::vector<tuning::Subject> subjects_of(const std::vector<TracedCalls>& traces, const model::OnDemandModels& models) {
  constexpr std::size_t max_calls = 32;
  constexpr double kernel_weight = 0.2;  // to five times the error of a whole
  std::vector<tuning::Subject> subjects;
  std::map<ModelKey, tuning::Subject> by_kernel;
  for (const TracedCalls& traced : traces) {
    subjects.push_back(traced.subject);
    std::map<ModelKey, tuning::Subject> of_process;
    for (std::size_t i = 0; i < traced.subject.trace.calls.size(); ++i) {
      tuning::Subject& subject = of_process[models.key(traced.subject.trace.calls[i])];
      if (subject.trace.calls.size() < max_calls) {
        subject.weight = kernel_weight;
        subject.trace.allocations = traced.subject.trace.allocations;
        subject.trace.calls.push_back(traced.subject.trace.calls[i]);
        subject.placements.push_back(traced.subject.placements[i]);
      }
    }
    by_kernel.merge(of_process);  // of the first process that calls it: every process has addresses of its own
  }
  for (auto& [key, subject] : by_kernel) {
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

/// Mean time of every kernel over its calls, by its place in the result's list.
std::map<std::size_t, Seconds> kernel_means(const std::vector<TracedCalls>& traces, std::span<const CacheLevel> caches,
                                            const model::OnDemandModels& models) {
  std::map<std::size_t, std::pair<Seconds, std::int64_t>> sums;
  const prediction::PlacedModels source(models);
  for (const TracedCalls& traced : traces) {
    const prediction::Prediction prediction = prediction::predict(traced.subject.trace, traced.state, caches, source, {.per_call = true});
    for (std::size_t i = 0; i < traced.kernels.size(); ++i) {
      auto& [seconds, calls] = sums[traced.kernels[i]];
      seconds += prediction.calls.at(i).seconds;
      ++calls;
    }
  }
  std::map<std::size_t, Seconds> means;
  for (const auto& [kernel, sum] : sums) {
    means[kernel] = sum.first / static_cast<double>(sum.second);
  }
  return means;
}

/// Of all processes together.
Seconds total_kernel_seconds(const json& result) {
  Seconds total = 0;
  for (const json& kernel : result.at("kernels")) {
    total += kernel.at("kind") == "computation" ? kernel.at("all").at("seconds").get<double>() : 0;
  }
  return total;
}

/// Whether all kernels together took what `times` say.
bool agrees_with(const json& result, const json& times) {
  std::map<std::string, Seconds> by_kernel;
  for (const json& kernel : times) {
    by_kernel[kernel.at("routine").get<std::string>() + kernel.at("words").dump()] = kernel.at("seconds").get<double>();
  }
  Seconds total = 0;
  for (const json& kernel : result.at("kernels")) {
    if (kernel.at("kind") == "computation") {
      const auto found = by_kernel.find(kernel.at("routine").get<std::string>() + kernel.at("words").dump());
      if (found == by_kernel.end()) {
        return false;
      }
      total += found->second * kernel.at("all").at("count").get<double>();
    }
  }
  return std::abs(total - total_kernel_seconds(result)) <= agreement * total;
}

/// How much longer the reference kernel takes now than at the speed that models speak of, the machine's best. The program's own code is
/// measured as it is now, so kernels must be too.
double present_drift(const Workbench& bench, const model::Store& store) {
  constexpr std::size_t runs = 61;
  const Seconds reference = bench.reference_time(store);
  if (reference <= 0) {
    return 1;
  }
  const measure::Backend backend = measure::system_backend(bench.libraries());
  backend.set_threads(1);
  measure::ReferenceKernels kernels(backend, 1);
  std::vector<Seconds> times(runs);
  std::generate(times.begin(), times.end(), [&] { return kernels.time(backend.wall).product; });
  std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
  return times[runs / 2] / reference;
}

}  // namespace

void MpiSimulator::open_libraries(const json& result) {
  if (bench_) {
    return;
  }
  machine::LibraryChoice libraries;
  libraries.blas = result.at("blas").get<std::string>();
  libraries.lapack = result.at("lapack").get<std::string>();
  libraries.kernels = options_.kernels;
  bench_.emplace(libraries, context_);
  models_.emplace(bench_->models(store_));
}

void MpiSimulator::learn(const json& result, int processes_per_host) {
  open_libraries(result);
  const std::vector<CacheLevel> caches = caches_of_process(bench_->environment().caches, processes_per_host);
  const std::vector<TracedCalls> traces = traced_calls(result, caches);
  std::vector<tuning::Subject> subjects = subjects_of(traces, *models_);
  sample_missing(subjects, *bench_, store_, *models_, options_.time_budget, "sampling kernels", context_);
  drift_ = drift_ ? drift_ : present_drift(*bench_, store_);
  times_ = json::array();
  for (const auto& [place, seconds] : kernel_means(traces, caches, *models_)) {
    const json& kernel = result.at("kernels").at(place);
    times_.push_back({{"routine", kernel.at("routine")}, {"words", kernel.at("words")}, {"seconds", seconds * *drift_}});
  }
}

json MpiSimulator::run(interpose::SmpiSimulation machine) {
  machine.command = options_.command;
  machine.show_output = options_.show_output;
  machine.max_traced_calls = max_traced_calls;
  machine.only_kernels = options_.only_kernels;
  drift_.reset();
  json result;
  for (int round = 0; round < max_rounds; ++round) {
    machine.times = {{"schema", interpose::smpi_times_schema}, {"kernels", times_}};
    result = simulated(machine, context_);
    if (result.at("traces").empty() || round + 1 == max_rounds) {
      break;
    }
    learn(result, machine.processes_per_host);
    if (agrees_with(result, times_)) {
      break;
    }
  }
  result.erase("traces");
  return result;
}

}  // namespace flopcast
