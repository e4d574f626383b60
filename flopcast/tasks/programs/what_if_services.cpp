#include "flopcast/tasks/programs/what_if_services.hpp"

#include <optional>
#include <set>

#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/predict/placed_models.hpp"
#include "flopcast/program/recorded_place.hpp"
#include "flopcast/program/thread_safety.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/tuning/tuning_session.hpp"
#include "flopcast/workbench/kernel_choice.hpp"
#include "flopcast/workbench/on_demand_sampling.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {
namespace {

/// Gives this process's variables that select kernels back at the end, so that each question has its own.
class OwnVariables {
 public:
  explicit OwnVariables(bool cleared) {
    if (cleared) {
      KernelVariables::clear();
    }
  }

 private:
  KernelVariables users_;
};

/// Libraries in this process.
class LocalLibraries : public WhatIfLibraries {
 public:
  LocalLibraries(const machine::LibraryChoice& libraries, bool own_kernels, const RunContext& context)
      : variables_(own_kernels), context_(context), store_(open_store(context)), bench_(Workbench::opened(libraries, context)) {}

  [[nodiscard]] const Environment& environment() const override { return bench_.environment(); }

  const prediction::KernelModels& models(std::vector<tuning::Subject>& traces, Seconds budget, const std::string& label) override {
    std::set<std::string> routines;
    for (const tuning::Subject& subject : traces) {
      for (const Call& call : subject.trace.calls) {
        routines.insert(call.routine->name);
      }
    }
    samples_.emplace(bench_.models(store_, routines));
    sample_missing(traces, bench_, store_, *samples_, budget, label, context_);
    return models_.emplace(*samples_);
  }

  RunDeviation run_deviation() override { return samples_ ? samples_->run_deviation() : known_run_deviation(store_, environment()); }

  std::vector<program::TunableCall> tunable_calls(const Call& call) override { return recorder().tunable_calls(call); }

  std::vector<Call> kernel_calls(const Call& call, const algorithm::BlockParameters& blocks) override {
    return recorder().record(call, blocks).calls;
  }

  tuning::BlockSizeResult choose_blocks(std::span<const tuning::Problem> problems, Seconds budget, const std::string& label) override {
    TuningSession session(bench_, store_, {}, context_);
    tuning::BlockSizeOptions options;
    options.time_budget = budget;
    const auto record = [this](const Call& call, const tuning::Alternative& alternative) {
      return recorder().record(call, alternative.blocks);
    };
    return session.tune(label, problems, record, {}, options);
  }

 private:
  program::Recorder& recorder() {
    if (!recorder_) {
      recorder_.emplace(bench_.files());
    }
    return *recorder_;
  }

  OwnVariables variables_;
  const RunContext& context_;
  model::Store store_;
  Workbench bench_;
  std::optional<model::OnDemandModels> samples_;
  std::optional<prediction::PlacedModels> models_;
  std::optional<program::Recorder> recorder_;
};

/// Returns whether models of the recorded place can be compared with the recorded times: on this machine, with the same libraries.
bool libraries_are_here(const program::RecordedPlace& place) {
  if (place.blas.empty() || !program::is_this_machine(place)) {
    return false;
  }
  try {
    machine::locate(place.blas, machine::Role::blas);
    return place.lapack.empty() || !machine::locate(place.lapack, machine::Role::lapack).empty();
  } catch (const Error&) {
    return false;  // the library was removed since
  }
}

}  // namespace

WhatIfServices this_machine(const program::RecordedProgram& program, const RunContext& context) {
  WhatIfServices services;
  services.open = [&context](const machine::LibraryChoice& libraries, bool own_kernels) {
    return std::make_unique<LocalLibraries>(libraries, own_kernels, context);
  };
  services.require_usable = [&program](const WhatIf& question, const machine::LibraryChoice& libraries) {
    program::require_thread_safe(program, question.blas, question.lapack);
    machine::locate_usable(libraries.blas, machine::Role::blas);
    if (!libraries.lapack.empty()) {
      machine::locate_usable(libraries.lapack, machine::Role::lapack);
    }
  };
  services.has_one_thread = [](const std::string& blas) {
    return machine::has_one_thread(machine::locate_usable(blas, machine::Role::blas).string());
  };
  services.integer_bytes = [](const std::string& blas) {
    return machine::integer_bytes(machine::locate_usable(blas, machine::Role::blas));
  };
  services.is_here = libraries_are_here;
  services.cpus = machine::usable_cpus(machine::detect_topology());
  return services;
}

}  // namespace flopcast
