#include "flopcast/tasks/mpi/mpi.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/program/component.hpp"
#include "flopcast/program/launch.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/process_environment.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/tasks/mpi/advise.hpp"
#include "flopcast/tasks/mpi/explain.hpp"
#include "flopcast/tasks/mpi/kept_advice.hpp"
#include "flopcast/tasks/mpi/launch.hpp"
#include "flopcast/tasks/mpi/machine.hpp"
#include "flopcast/tasks/mpi/outcome.hpp"
#include "flopcast/tasks/mpi/program_kernels.hpp"
#include "flopcast/tasks/mpi/run.hpp"
#include "flopcast/tasks/mpi/simulation.hpp"
#include "flopcast/tasks/mpi/tuner.hpp"

namespace flopcast {
namespace {

using selective::Policy;

protocol::MpiOptions library_options(const MpiRunRequest& request) {
  auto options = with_members_of<protocol::MpiOptions>(request);
  if (!request.prior_profile.empty() && request.executions.empty()) {  // a tuner's executions come with a file that it wrote
    static_cast<void>(read_mpi_kernels(request.prior_profile));
  }
  options.executions = request.executions;
  options.results = request.results;
  return options;
}

void note_policy(const MpiRunRequest& request, const RunContext& context) {
  if (request.policy == Policy::a_priori && request.prior_profile.empty() && request.executions.empty()) {
    context.note(
        "flopcast: policy a-priori uses the counts of an earlier profile (--prior-profile FILE). Without one it decides as conditional "
        "does");
  }
  if (skips_kernels(request)) {
    context.note(results_warning(request.policy));
  }
}

void read_profile(const MpiRunRequest& request, MpiRunResult& result, const RunContext& context) {
  if (request.reads_profile && !result.document.empty()) {
    result.profile = mpi_profile_from_json(result.document, "the program's profile");
    result.warnings = warnings_about(*result.profile);
    if (const std::string reason = noise_of(*result.profile); !reason.empty()) {
      context.tell_noisy(reason);
    }
  }
}

void require_predicting(Policy policy) {
  if (policy == Policy::random || policy == Policy::rehearsal) {
    throw bad_input("policy {} predicts nothing. Tuning takes full, conditional, local, online, a-priori or eager",
                    selective::to_string(policy));
  }
}

/// Notes what limits the meaning of a result. `request` is the command's own; nullptr for a command that has no clock to choose.
void note_doubts(const MpiTuning& tuning, const MpiTuneRequest* request, const RunContext& context) {
  constexpr double max_cores = 0.1;
  if (tuning.drifted_kernels > 0 && !(request != nullptr && request->fresh)) {
    context.note(fmt::format("flopcast: stored times of {} no longer held and were replaced", counted(tuning.drifted_kernels, "kernel")));
  }
  if (tuning.cores_of_others >= max_cores) {
    context.tell_noisy(
        fmt::format("other programs kept {:.1f} cores busy, which makes times unreliable. Tune on an idle machine, or with fewer processes",
                    tuning.cores_of_others));
  }
  if (const std::string undecided = remark_on_undecided(tuning, request != nullptr); !undecided.empty()) {
    context.tell_noisy(undecided);
  }
  const auto blocks = std::count_if(tuning.configurations.begin(), tuning.configurations.end(),
                                    [](const MpiConfiguration& each) { return each.blocked > 0; });
  if (blocks > 0) {
    context.note(fmt::format(
        "flopcast: warning: in {} a process slept or waited for something else than a message, such as a file, for a considerable part of "
        "the time. {}",
        counted(blocks, "configuration"),
        tuning.clock == protocol::MpiClock::cpu
            ? "The predictions exclude that time, because they are CPU time. They say which configuration "
              "computes least, not which one ends first"
            : "The predictions take that time for computation"));
  }
  if (tuning.clock == protocol::MpiClock::cpu) {
    context.note(fmt::format("flopcast: {}: predictions are CPU time and modelled messages, not wall time",
                             request != nullptr && request->clock == protocol::MpiClock::cpu
                                 ? "--clock cpu"
                                 : "more processes than cores, or than CPUs that a control group grants"));
  }
}

}  // namespace

std::string to_string(MpiLibrary library) { return library == MpiLibrary::mpich ? "mpich" : "openmpi"; }

MpiRunResult run_mpi(const MpiRunRequest& request, const RunContext& context) {
  const protocol::MpiOptions options = library_options(request);
  const RunContext first_process = is_first_process() ? context : RunContext{};
  note_policy(request, first_process);
  set_kernels_of(request.command.at(0), request.kernels == "auto", first_process);
  MpiRun run = run_mpi_program(request.command, request.mpi ? to_string(*request.mpi) : "", options, request.timeout);
  MpiRunResult result;
  result.exit_code = run.stalled ? static_cast<int>(ExitCode::unusable_measurement) : run.exit_code;
  result.is_first = run.first;
  result.stopped = run.stalled;
  if (run.profile.empty() && run.first && !run.stalled && run.stage != protocol::mpi_stage_other) {
    result.missing_reason = why_no_profile(run, request);
    result.uses_sessions = run.stage == protocol::mpi_stage_sessions;
  }
  result.document = std::move(run.profile);
  read_profile(request, result, context);
  const std::string end = skips_kernels(request) ? end_with_skipped_kernels(run, result.profile, request) : "";
  if (!end.empty()) {
    context.note(end);
  }
  return result;
}

MpiTuning tune_mpi(const Workbench& bench, const MpiTuneRequest& given, const RunContext& context) {
  MpiTuneRequest request = given;
  if (request.space.launcher.empty()) {
    request.space = read_mpi_space(request.space.file);
  }
  require_predicting(request.policy);
  static_cast<void>(program::find_program(request.space.launcher.at(0)));
  require_programs(request.space);
  set_kernels_of(command_of(request.space, settings_of(request.space).front()).front(), request.kernels == "auto", context);
  ProgramLauncher launcher(request);
  model::Store& store = bench.store();
  MpiTuner tuner(request, launcher, store, machine::detect_topology().usable_cores, context);
  if (request.policy != Policy::full) {
    context.note(fmt::format("flopcast: kernels are skipped (--policy {}), so that the program computes and prints garbage meanwhile",
                             selective::to_string(request.policy)));
  }
  MpiTuning tuning = tuner.tune();
  note_doubts(tuning, &request, context);
  return tuning;
}

MpiTuning advise_mpi(const Workbench& bench, const MpiAdviseRequest& request, const RunContext& context) {
  const machine::Topology topology = machine::detect_topology();
  const Stopwatch watch;
  AdviceServices services;
  services.cores = topology.usable_cores;
  services.memory_bytes = static_cast<double>(topology.memory_bytes);
  services.driver = program::find_component("flopcast-scalapack-" + to_string(request.mpi)).string();
  const auto is_set = [](const char* variable) { return std::getenv(variable) != nullptr; };
  services.is_root = geteuid() == 0 && !(is_set("OMPI_ALLOW_RUN_AS_ROOT") && is_set("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"));
  services.clock = [&watch] { return watch.elapsed(); };
  services.loads = [&services](const std::string& libraries) {
    return program::run_program(services.driver, {services.driver, libraries}, process::current_environment(), SIGKILL) == 0;
  };
  services.tune = [&bench](const MpiTuneRequest& tuning, const RunContext& quiet) { return tune_mpi(bench, tuning, quiet); };
  keep_advice(services, bench.store(), request);
  MpiTuning advice = advise_mpi(request, services, context);
  note_doubts(advice, nullptr, context);
  return advice;
}

MpiSimulation simulate_mpi(const Workbench& bench, const MpiSimulateRequest& request, const RunContext& context) {
  require_simulable(request.command.at(0));
  set_kernels_of(request.command.at(0), request.kernels == "auto", context);
  model::Store& store = bench.store();
  const SimulatedMachine machine(request.machine, store, context);
  if (request.show_output) {
    context.note("flopcast: kernels aren't executed, so that the program computes and prints garbage");
  }
  return simulate_all(request, machine, this_simulation_world(store, context), context);
}

}  // namespace flopcast
