#include "flopcast/tasks/mpi/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "flopcast/cache/placement.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/measure/reference_kernels.hpp"
#include "flopcast/measure/system_backend.hpp"
#include "flopcast/predict/placed_models.hpp"
#include "flopcast/predict/predict.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/tune/design.hpp"
#include "flopcast/workbench/on_demand_sampling.hpp"

namespace flopcast {
namespace {

constexpr std::int64_t max_traced_calls = 100000;
constexpr int max_rounds = 3;
constexpr double agreement = 0.005;

/// Runs a simulation. Throws Cancelled in place of an error if the user cancelled, because Ctrl-C ends the simulator as well.
SmpiResult simulated(const SmpiSimulation& simulation, const RunContext& context) {
  try {
    return run_simulation(simulation);
  } catch (const Error&) {
    context.throw_if_cancelled("what was measured of kernels is kept");
    throw;
  }
}

/// The calls of one of the simulated processes.
struct TracedCalls {
  tuning::Subject subject;
  cache::CacheState state;
  std::vector<std::size_t> kernels;  ///< place of every call's kernel in the result's list
};

/// Returns the caches of one of several processes on a host: it has a part of the last one if cores share that one.
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

std::vector<TracedCalls> traced_calls(const std::vector<SmpiTrace>& traces, std::span<const CacheLevel> caches) {
  std::vector<TracedCalls> all;
  for (const SmpiTrace& each : traces) {
    TracedCalls traced;
    traced.subject.trace = each.trace;
    traced.state = cache::cache_state(traced.subject.trace, caches, cache::Start::filled);
    traced.subject.placements = traced.state.placements;
    traced.kernels = each.kernels;
    all.push_back(std::move(traced));
  }
  return all;
}

/// Returns the subjects whose predictions are to be accurate: each process's calls as a whole, and the first calls of each kernel by itself.
/// Kernels are subjects because the roofline, which replaces a
/// model without samples, is too optimistic for short calls.
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

/// Returns the mean time of every kernel over its calls, by its place in the result's list.
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

/// Returns whether all computational kernels together took the time that `times` give.
bool agrees_with(const SimulatedRun& run, const std::vector<SmpiKernelTime>& times) {
  std::map<std::pair<std::string, std::vector<std::int64_t>>, Seconds> by_kernel;
  for (const SmpiKernelTime& time : times) {
    by_kernel[{time.routine, time.words}] = time.seconds;
  }
  Seconds total = 0;
  Seconds taken = 0;
  for (const SimulatedKernel& kernel : run.kernels) {
    if (kernel.kind == path::KernelKind::computation) {
      const auto found = by_kernel.find({kernel.routine, kernel.words});
      if (found == by_kernel.end()) {
        return false;
      }
      total += found->second * static_cast<double>(kernel.all.count);
      taken += kernel.all.seconds;
    }
  }
  return std::abs(total - taken) <= agreement * total;
}

/// Returns the time of the reference kernel now, relative to `reference`, its time in the state to which the models refer. The program's own
/// code is measured at the present speed, so the kernels' times must be scaled to it.
double present_drift(const Workbench& bench, Seconds reference) {
  constexpr std::size_t runs = 61;
  if (reference <= 0) {
    return 1;
  }
  const measure::Backend backend = measure::system_backend(bench.libraries());
  backend.set_threads(1);
  measure::ReferenceKernels kernels(backend, 1);
  std::vector<Seconds> times(runs);
  std::generate(times.begin(), times.end(), [&] { return kernels.time(backend.wall).product; });
  return median(times) / reference;
}

}  // namespace

void MpiSimulator::open_libraries(const SimulatedRun& run) {
  if (bench_) {
    return;
  }
  machine::LibraryChoice libraries;
  libraries.blas = run.blas;
  libraries.lapack = run.lapack;
  libraries.kernels = request_.tuned_kernels ? "auto" : "library";
  bench_.emplace(libraries, context_);
  models_.emplace(bench_->models(store_));
}

void MpiSimulator::learn(const SmpiResult& result, int processes_per_host) {
  open_libraries(result.run);
  const std::vector<CacheLevel> caches = caches_of_process(bench_->environment().caches, processes_per_host);
  const std::vector<TracedCalls> traces = traced_calls(result.traces, caches);
  std::vector<tuning::Subject> subjects = subjects_of(traces, *models_);
  sample_missing(subjects, *bench_, store_, *models_, request_.time_budget, "sampling kernels", context_);
  drift_ = drift_ ? drift_ : present_drift(*bench_, models_->wanted_state().reference);
  times_.clear();
  for (const auto& [place, seconds] : kernel_means(traces, caches, *models_)) {
    const SimulatedKernel& kernel = result.run.kernels.at(place);
    times_.push_back({kernel.routine, kernel.words, seconds * *drift_});
  }
}

SimulatedRun MpiSimulator::run(SmpiSimulation machine) {
  const Stopwatch watch;
  machine.command = request_.command;
  machine.show_output = request_.show_output;
  machine.max_traced_calls = max_traced_calls;
  machine.only_kernels = request_.only_kernels;
  drift_.reset();
  SmpiResult result;
  for (int round = 0; round < max_rounds; ++round) {
    machine.times = times_;
    result = simulated(machine, context_);
    if (result.traces.empty() || round + 1 == max_rounds) {
      break;
    }
    learn(result, machine.processes_per_host);
    if (agrees_with(result.run, times_)) {
      break;
    }
  }
  result.run.simulation_seconds = watch.elapsed();
  return std::move(result.run);
}

}  // namespace flopcast
