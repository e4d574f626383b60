#include "flopcast/tasks/mpi/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "flopcast/cache/placement.hpp"
#include "flopcast/predict/predict.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/tune/design.hpp"

namespace flopcast {
namespace {

constexpr std::int64_t max_traced_calls = 100000;
constexpr int max_rounds = 3;
constexpr double agreement = 0.005;
constexpr const char* kept = "what was measured of kernels is kept";

/// The calls of one of the simulated processes.
struct TracedCalls {
  tuning::Subject subject;
  cache::CacheState state;
  std::vector<std::size_t> kernels;  ///< place of every call's kernel in the result's list
};

/// Returns the caches of one of `sharing` processes that share the last one, of which each has a part. Models count levels, so a part that
/// isn't larger than the level before stays as a level of one line more.
std::vector<CacheLevel> caches_of_process(std::vector<CacheLevel> caches, int sharing) {
  if (caches.size() > 1 && sharing > 1) {
    CacheLevel& last = caches.back();
    for (std::int64_t* bytes : {&last.capacity_bytes, &last.capacity_low_bytes, &last.capacity_high_bytes}) {
      *bytes = std::max(*bytes / sharing, caches[caches.size() - 2].capacity_bytes + last.line_bytes);
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

/// Returns the subjects whose predictions are to be accurate: each process's calls as a whole, and the first calls of each kernel by
/// itself. Kernels are subjects because the roofline, which replaces a model without samples, is too optimistic for short calls.
std::vector<tuning::Subject> subjects_of(const std::vector<TracedCalls>& traces, const KernelPlace& place) {
  constexpr std::size_t max_calls = 32;
  constexpr double kernel_weight = 0.2;  // to five times the error of a whole
  std::vector<tuning::Subject> subjects;
  std::map<ModelKey, tuning::Subject> by_kernel;
  for (const TracedCalls& traced : traces) {
    subjects.push_back(traced.subject);
    std::map<ModelKey, tuning::Subject> of_process;
    for (std::size_t i = 0; i < traced.subject.trace.calls.size(); ++i) {
      tuning::Subject& subject = of_process[place.key(traced.subject.trace.calls[i])];
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
                                            const prediction::KernelModels& models) {
  std::map<std::size_t, std::pair<Seconds, std::int64_t>> sums;
  for (const TracedCalls& traced : traces) {
    const prediction::TracePrediction prediction =
        prediction::predict(traced.subject.trace, traced.state, caches, models, {.per_call = true});
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
    if (kernel.kind == selective::KernelKind::computation) {
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

void note_unknown(const SimulatedRun& run, const RunContext& context) {
  if (const Seconds unknown = run.unknown_seconds(); unknown > 0) {
    context.note(fmt::format("flopcast: kernels that take {} of all processes' time have no model; they count with 20 GFLOP/s",
                             format_seconds(unknown)));
  }
}

}  // namespace

void MpiSimulator::learn(const SmpiResult& result, int processes_per_host) {
  if (!place_) {
    place_ = services_.open({.blas = result.run.blas, .lapack = result.run.lapack, .kernels = request_.kernels});
  }
  const std::vector<CacheLevel> caches =
      caches_of_process(place_->environment().caches, std::min(processes_per_host, services_.cores_of_last_cache));
  const std::vector<TracedCalls> traces = traced_calls(result.traces, caches);
  std::vector<tuning::Subject> subjects = subjects_of(traces, *place_);
  const prediction::KernelModels& models = place_->models(subjects, request_.time_budget);
  drift_ = drift_ ? drift_ : place_->drift();
  times_.clear();
  for (const auto& [kernel, seconds] : kernel_means(traces, caches, models)) {
    const SimulatedKernel& known = result.run.kernels.at(kernel);
    times_.push_back({known.routine, known.words, seconds * *drift_});
  }
}

SimulatedRun MpiSimulator::run(SmpiSimulation machine) {
  const Stopwatch watch;
  machine.command = request_.command;
  machine.show_output = request_.show_output;
  machine.options.max_traced_calls = max_traced_calls;
  machine.options.only_kernels = request_.only_kernels;
  drift_.reset();
  SmpiResult result;
  for (int round = 0; round < max_rounds; ++round) {
    machine.times = times_;
    result = simulated(machine);
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

SmpiResult MpiSimulator::simulated(const SmpiSimulation& simulation) const {
  try {
    return services_.simulate(simulation);
  } catch (const Error&) {
    context_.throw_if_cancelled(kept);  // Ctrl-C ends the simulator as well
    throw;
  }
}

MpiSimulation simulate_all(const MpiSimulateRequest& request, const SimulatedMachine& machine, const SimulationServices& services,
                           const RunContext& context) {
  MpiSimulator simulator(request, services, context);
  MpiSimulation simulation;
  if (machine.platform_file().empty()) {
    simulation.machine = machine.description();
  }
  simulation.platform = machine.platform_file();
  for (const int ranks : request.ranks) {
    context.throw_if_cancelled(kept);
    try {
      simulation.runs.push_back(simulator.run(machine.prepared(ranks)));
    } catch (const Error& error) {
      if (simulation.runs.empty() && ranks == request.ranks.back()) {
        throw;
      }
      context.note(fmt::format("flopcast: {} can't be simulated: {}", counted(ranks, "process"), error.what()));
      simulation.failures.push_back({ranks, error.what(), static_cast<int>(error.code())});
      continue;
    }
    note_unknown(simulation.runs.back(), context);
    if (request.ranks.size() > 1) {
      context.note(fmt::format("{}: {}", counted(ranks, "process"), format_seconds(simulation.runs.back().seconds)));
    }
  }
  return simulation;
}

}  // namespace flopcast
