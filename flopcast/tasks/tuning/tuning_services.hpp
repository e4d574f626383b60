#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/algorithm/script.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/measure/experiment.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/program/recorder.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tune/sampling.hpp"
#include "flopcast/workbench/on_demand_sampling.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {

/// The functions and values that tuning needs from outside. A Workbench gives the real one; tests give synthetic libraries and clocks.
struct TuningServices {
  Environment environment;
  /// Returns models from the samples of earlier runs: of the kernels named, or of all if none is.
  std::function<model::OnDemandModels(const std::set<std::string>& kernels)> models;
  /// Returns the samples of this place that are kept under a cache state.
  std::function<std::vector<Sample>(const std::string& state)> samples = [](const std::string&) { return std::vector<Sample>(); };
  /// Returns what on-demand sampling needs, its clock starting now.
  std::function<tuning::SamplingServices(const SamplingLimits&)> sampling;
  /// Runs experiments by the rule until `go_on` returns false.
  std::function<std::vector<measure::Timings>(std::span<const measure::Experiment>, const measure::StopRule& rule, const Progress& go_on)>
      measure;
  /// Returns seconds since some moment.
  std::function<Seconds()> clock;
  /// Starts watching other programs; the result tells how many cores these kept busy since.
  std::function<std::function<double()>()> watch_others = [] { return [] { return 0.0; }; };

  std::function<std::vector<program::TunableCall>(const Call&)> tunable_calls;
  std::function<std::optional<protocol::BlockSizeQuery>(const Call&)> block_size_query;
  /// Returns the kernel calls of the library's own routine.
  std::function<Trace(const Call&, const std::optional<algorithm::BlockParameters>&)> record;
  /// Makes the library use these parameters for a routine.
  std::function<void(const std::string& routine, const algorithm::BlockParameters&)> set_blocks;
  algorithm::FunctionLookup find_function;
  /// Returns the file of the library whose routine queries ilaenv, for messages.
  std::function<std::string()> lapack_file = [] { return std::string("this LAPACK"); };
};

/// Returns the services of a workbench. The workbench and the store must outlive it.
TuningServices tuning_services(const Workbench& bench, model::Store& store, std::uint64_t seed, const RunContext& context);

}  // namespace flopcast
