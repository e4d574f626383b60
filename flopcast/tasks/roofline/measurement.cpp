#include "flopcast/tasks/roofline/measurement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/roofline/roof.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/exception.hpp"
#include "flopcast/tasks/roofline/deadline.hpp"
#include "flopcast/tasks/roofline/diagnoses.hpp"
#include "flopcast/tasks/roofline/roofline.hpp"
#include "flopcast/tasks/roofline/thread_plan.hpp"

namespace flopcast {
namespace {

/// Returns the names of the request's streams.
std::vector<std::string> stream_names(const RooflineRequest& request) {
  std::vector<std::string> names;
  std::transform(request.streams.begin(), request.streams.end(), std::back_inserter(names),
                 [](machine::Stream stream) { return std::string(machine::name(stream)); });
  return names;
}

/// Returns the options of a request as they take effect on a machine, for the document.
roofline::EffectiveOptions effective_options(const RooflineRequest& request, const std::string& kernels, const machine::Topology& topology,
                                             const std::string& huge_pages) {
  roofline::EffectiveOptions options;
  options.version = version();
  options.threads = max_threads(request, topology);
  options.affinity = machine::to_string(request.affinity);
  options.cores = topology.kinds.size() == 1 ? topology.kinds.front().name : request.cores;
  options.blas = request.blas;
  options.kernels = kernels;
  options.gemm = request.gemm;
  const roofline::GemmSpace space = gemm_space_of(request);
  options.space = space.name;
  for (const auto& [text, sizes] :
       {std::pair(&options.m, &request.m), std::pair(&options.n, &request.n), std::pair(&options.k, &request.k)}) {
    *text = fmt::format("{}", fmt::join(*sizes, ","));
  }
  options.shapes = static_cast<std::int64_t>(space.shapes.size());
  options.tolerance = request.tolerance;
  options.error_probability = request.error_probability;
  options.stop_at = request.stop_at;
  options.streams = stream_names(request);
  options.nominal_clock_gigahertz = request.nominal_clock_gigahertz.value_or(0);
  options.fma_units = request.fma_units;
  options.time_budget = fmt::format("{:g}s", static_cast<Seconds>(request.time_budget));
  options.seed = request.seed;
  options.quick = request.quick;
  options.huge_pages = huge_pages;
  return options;
}

using roofline::Roofline;

/// Maximum memory that a quick measurement streams through.
constexpr std::int64_t quick_bytes = std::int64_t{256} << 20U;

/// One measurement, which consists of steps.
class Measurement {
 public:
  Measurement(const RooflineRequest& request, std::string kernels, RooflineMachine& machine, const RunContext& context)
      : request_(request), kernels_(std::move(kernels)), machine_(machine), context_(context), begin_(machine.now()) {}

  Roofline run() {
    struct MeasurementStep {
      void (Measurement::*run)();
      bool (Measurement::*is_wanted)() const;
    };
    using M = Measurement;
    static constexpr std::array<MeasurementStep, 8> steps = {{{&M::describe_machine, &M::always},
                                                              {&M::measure_caches, &M::always},
                                                              {&M::measure_first_roofs, &M::always},
                                                              {&M::search_gemm, &M::wants_gemm},
                                                              {&M::measure_second_roofs, &M::has_time},
                                                              {&M::derive_peaks, &M::always},
                                                              {&M::time_calls, &M::goes_on},
                                                              {&M::finish, &M::always}}};
    for (const MeasurementStep& step : steps) {
      if ((this->*step.is_wanted)()) {
        (this->*step.run)();
      }
    }
    return std::move(found_);
  }

 private:
  // Conditions of steps.

  [[nodiscard]] bool always() const { return true; }
  [[nodiscard]] bool goes_on() const { return !context_.cancelled(); }
  [[nodiscard]] bool wants_gemm() const { return request_.searches_gemm && goes_on(); }
  [[nodiscard]] bool has_time() const { return goes_on() && !deadline().is_over(); }

  // Steps, in their order.

  void describe_machine() {
    topology_ = requested_cores(request_, machine_.topology());
    const int threads = max_threads(request_, topology_);
    found_.cpu = topology_.cpu;
    found_.fingerprint = machine::hardware_fingerprint(topology_);
    found_.date = machine_.date();
    found_.affinity = machine::to_string(request_.affinity);
    found_.cpus = machine::choose_cpus(topology_.places, threads, request_.affinity);
    found_.options = effective_options(request_, kernels_, topology_, machine_.huge_pages());
    for (const std::string& file : request_.recordings) {
      found_.points.push_back(machine_.recorded_program(file));
    }
    diagnose(Moment::begin);
  }

  void measure_caches() {
    caches_ = machine_.caches(topology_, request_.quick, context_.step("caches"));
    found_.levels = caches_.hierarchy.levels;
    diagnose(Moment::caches);
    caches_known_ = machine_.now();  // the time budget begins here: the caches of a machine are measured once
  }

  void measure_first_roofs() { measure_roofs(request_.seed, deadline().share(request_.searches_gemm ? 0.35 : 0.5)); }

  /// Leaves the second roofs as much time as the first ones took.
  void search_gemm() {
    const Seconds now = machine_.now(), first_roofs = now - caches_known_;
    search_gemms(request_, topology_, machine_, Deadline(clock(), now + request_.time_budget - 2 * first_roofs), found_, context_);
  }

  void measure_second_roofs() { measure_roofs(request_.seed + 1, deadline()); }

  void derive_peaks() {
    const auto [hertz, source] = nominal_clock();
    found_.peaks = theoretical_peaks(found_, hertz, source, request_.fma_units, machine::busy_cores(topology_.places, 0));
    diagnose(Moment::roofs);
  }

  void time_calls() {
    if (request_.points.empty()) {
      return;
    }
    try {
      const TimedCalls timed = machine_.time_calls(points_of(request_), request_.blas.empty() ? "" : request_.blas.front(),
                                                   std::max(request_.threads, 1), found_.levels);
      found_.points.insert(found_.points.end(), timed.points.begin(), timed.points.end());
      found_.findings.push_back("calls of --point were timed on " + timed.place);
    } catch (const Error& error) {
      if (!context_.cancelled()) {
        found_.findings.push_back(fmt::format("the calls of --point couldn't be timed: {}", error.what()));
      }
    }
  }

  void finish() {
    diagnose(Moment::points);
    if (context_.cancelled()) {
      found_.findings.emplace_back("interrupted: samples, roofs or points are missing");
    }
    found_.seconds = machine_.now() - begin_;
  }

  // Parts of steps.

  [[nodiscard]] std::function<Seconds()> clock() const {
    return [&machine = machine_] { return machine.now(); };
  }
  [[nodiscard]] Deadline deadline() const { return {clock(), caches_known_ + request_.time_budget}; }

  void diagnose(Moment moment) {
    const DiagnosedRun run = {
        request_, topology_, caches_.hierarchy, &found_, machine_.cores_of_others(), machine_.available_memory_bytes()};
    const std::vector<std::string> sentences = diagnoses(moment, run);
    found_.findings.insert(found_.findings.end(), sentences.begin(), sentences.end());
  }

  /// Returns a function that shows the progress of roofs and stops them when the context is cancelled or the time is over. The first `kept`
  /// of all `rounds` are measured in any case, because roofs without a sample leave nothing to show.
  [[nodiscard]] Progress progress_until(const Deadline& deadline, int kept, int rounds, const std::string& label) const {
    return [show = context_.step(label), deadline, kept, rounds](std::int64_t done, std::int64_t all) {
      return show(done, all) && (done * rounds < all * kept || !deadline.is_over());
    };
  }

  /// Takes a part of the samples of arithmetic and bandwidths, in random order. Threads and their memory are made anew each time, so that
  /// all samples don't depend on one accidental placement.
  void measure_roofs(std::uint64_t seed, const Deadline& deadline) {
    constexpr double max_arithmetic = 0.4;  // share of the time
    const int kept = found_.compute.empty() ? 1 : 0;
    const auto has_time = [&] { return goes_on() && (kept > 0 || !deadline.is_over()); };
    const std::unique_ptr<RoofLoops> loops = machine_.start_threads(team_cpus(request_, topology_), caches_, topology_.caches);
    roofline::ComputeOptions compute;
    roofline::BandwidthOptions bandwidth;
    compute.seed = bandwidth.seed = seed;
    bandwidth.streams = stream_names(request_);
    if (request_.quick) {
      compute.rounds = bandwidth.rounds = 2;
      bandwidth.max_team_bytes = quick_bytes;
    }
    add_samples(found_.compute, loops->compute(compute, progress_until(deadline.share(max_arithmetic), kept, compute.rounds, "peaks")));
    if (has_time()) {
      add_samples(found_.bandwidth, loops->bandwidth(bandwidth, progress_until(deadline, kept, bandwidth.rounds, "bandwidths")));
    }
    if (request_.triad_lengths && has_time()) {
      add_samples(found_.triad_lengths, loops->triad_lengths(bandwidth, progress_until(deadline, kept, bandwidth.rounds, "triad")));
    }
    if (deadline.is_over()) {
      add_once(found_.findings, fmt::format("the time budget of {} was too short for all samples of the roofs: they may be too low",
                                            format_seconds(request_.time_budget)));
    }
  }

  /// Returns the clock for the nominal peak and its source.
  std::pair<double, std::string> nominal_clock() {
    if (request_.nominal_clock_gigahertz) {
      return {*request_.nominal_clock_gigahertz * 1e9, "given"};
    }
    if (topology_.nominal_hertz > 0) {
      return {topology_.nominal_hertz, "the processor's own statement"};
    }
    const double counter = machine_.counter_hertz();
    return {counter, counter > 0 ? "the time stamp counter, which usually ticks at the nominal clock" : ""};
  }

  const RooflineRequest& request_;
  std::string kernels_;
  RooflineMachine& machine_;
  const RunContext& context_;
  Seconds begin_, caches_known_ = 0;
  machine::Topology topology_;
  machine::MachineMeasurement caches_;
  Roofline found_;
};

}  // namespace

Roofline measure_roofline(const RooflineRequest& request, const std::string& kernels, RooflineMachine& machine, const RunContext& context) {
  return Measurement(request, kernels, machine, context).run();
}

}  // namespace flopcast
