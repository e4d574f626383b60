#include "flopcast/workbench/workbench.hpp"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/contract/planner/trial_memory.hpp"
#include "flopcast/core/documents.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/measure/session.hpp"
#include "flopcast/measure/system_services.hpp"
#include "flopcast/measure/turn.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/preload/tuned/tuned.h"
#include "flopcast/program/component.hpp"
#include "flopcast/program/recorder.hpp"
#include "flopcast/support/control_group.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/workbench/kernel_choice.hpp"
#include "flopcast/workbench/wisdom_file.hpp"

namespace flopcast {
namespace {

machine::LibrarySet open_libraries(const machine::LibraryChoice& options, bool interposer) {
  const std::string blas = options.blas.empty() ? machine::default_blas(options.threads) : options.blas;
  const int integer_bytes = machine::Library::open(blas).identity().integer_bytes;
  const std::string lapack = options.lapack.empty() ? machine::default_lapack(integer_bytes) : options.lapack;
  machine::LibrarySet libraries =
      machine::LibrarySet::open(blas, lapack, interposer ? program::find_component("libflopcast-tuned.so").string() : std::string());
  libraries.set_threads(options.threads);
  return libraries;
}

/// A group that has used its time up stops until its next period, in the middle of a kernel.
void note_quota(int threads, const RunContext& context) {
  const double granted = control_group_limits().cpus;
  if (granted > 0 && threads > granted) {
    context.note(
        fmt::format("warning: the control group grants {:g} CPUs' worth of time to {}: long kernels are stopped now and then, "
                    "short ones aren't",
                    granted, counted(threads, "thread")));
  }
}

}  // namespace

std::string place_text(const Environment& environment) {
  const auto name = [](const LibraryIdentity& library) {
    return library.name + (library.version.empty() ? "" : " " + library.version) +
           (library.kernels.empty() ? "" : " (kernels " + library.kernels + ")");
  };
  return fmt::format("{} with {}, LAPACK {}", name(environment.blas), counted(environment.threads, "thread"), name(environment.lapack));
}

model::Store open_store(const RunContext& context) {
  model::Store store = context.unkept ? model::Store::open_if_possible(context.unkept) : model::Store::open();
  if (!store.warning().empty()) {
    context.note("warning: " + store.warning());
  }
  answer_below(store, system_wisdom(context).artifacts);
  return store;
}

namespace {

/// A number of what is kept about the reference kernels; 0 if nothing is yet.
double kept_of_reference(const model::Store& store, const Environment& environment, const char* member) {
  const auto read = [member](const nlohmann::json& kept) { return member_or(kept, member, 0.0); };
  return read_artifact(store, model::artifact::reference_time, environment.fingerprint, read).value_or(0.0);
}

/// Reference solve over reference product while nothing disturbed.
double quiet_solve(const model::Store& store, const Environment& environment) {
  return kept_of_reference(store, environment, "calm_solve");
}

/// Adds the stored samples of this environment that `wants` wants to the models, and the sessions of the others.
void add_samples(model::OnDemandModels& models, const model::Store& store, const Environment& environment,
                 const std::function<bool(const std::string& routine)>& wants) {
  for (const ModelKey& key : store.sampled_keys()) {
    if (key.library != environment.fingerprint || key.cache != "placed" || key.threads != environment.threads) {
      continue;
    }
    const bool is_wanted = wants(key.routine);
    for (const Sample& sample : store.samples(key)) {
      if (is_wanted) {
        models.add(sample, call_of(sample, kernel::find));
      } else {
        models.note_session(sample.state);  // so that the usual state doesn't depend on the kernels
      }
    }
  }
}

}  // namespace

model::OnDemandModels stored_models(const model::Store& store, const Environment& environment, const std::set<std::string>& only) {
  model::OnDemandModels models(environment);
  add_samples(models, store, environment, [&](const std::string& routine) { return only.empty() || only.count(routine) > 0; });
  models.fit();
  return models;
}

RunDeviation known_run_deviation(const model::Store& store, const Environment& environment) {
  model::OnDemandModels models(environment);
  add_samples(models, store, environment, [](const std::string&) { return false; });
  return models.run_deviation();
}

namespace {

/// Binds this process to the fastest kind of cores if there are enough of them. A mixture of times from several kinds is true of none.
void keep_to_one_kind(int threads, const RunContext& context) {
  const machine::Topology topology = machine::detect_topology();
  if (topology.kinds.empty()) {
    return;
  }
  const machine::CoreKind& fastest = topology.kinds.front();
  if (threads > fastest.cores) {
    context.note(
        fmt::format("warning: {} threads run on cores of several kinds, as there are {} {} cores: times depend on which thread is where",
                    threads, fastest.cores, fastest.name));
  } else if (const std::vector<int> cpus = cpus_to_measure_on(topology); !cpus.empty()) {
    machine::pin_this_thread(cpus);
    context.note(fmt::format("measured on the {} cores, CPU {}", fastest.name, machine::format_cpu_list(cpus)));
  }
}

/// Kernels are tried on the cores on which they are to run.
machine::KernelSettings chosen_kernels(const machine::LibraryChoice& options, const RunContext& context, const GetStore& store) {
  keep_to_one_kind(options.threads, context);
  return choose_kernels(options, context, store);
}

}  // namespace

struct Workbench::State {
  /// The libraries of a choice, as they were opened.
  struct OpenedLibraries {
    OpenedLibraries(const machine::LibraryChoice& choice, const RunContext& context, const GetStore& store, bool with_ilaenv)
        : settings(chosen_kernels(choice, context, store)),
          libraries(open_libraries(choice, with_ilaenv)),
          environment(machine::detect(libraries, choice.threads, {.progress = context.step("measuring caches"), .unkept = context.unkept})),
          sets_blocks(with_ilaenv) {
      note_quota(choice.threads, context);
    }
    machine::KernelSettings settings;  // in force before the library is opened
    machine::LibrarySet libraries;
    Environment environment;
    bool sets_blocks = false;
  };

  machine::LibraryChoice choice;
  RunContext context;
  std::optional<OpenedLibraries> opened;
  std::optional<model::Store> store;
  std::shared_ptr<contract::TrialMemory> trials = std::make_shared<contract::TrialMemory>();
};

Workbench::Workbench(machine::LibraryChoice choice, RunContext context)
    : state_(new State{std::move(choice), std::move(context), {}, {}}) {}
Workbench::Workbench(Workbench&&) noexcept = default;
Workbench& Workbench::operator=(Workbench&&) noexcept = default;
Workbench::~Workbench() = default;

void Workbench::open(bool sets_blocks) const {
  if (!state_->opened || (sets_blocks && !state_->opened->sets_blocks)) {
    state_->opened.emplace(
        state_->choice, state_->context, [this]() -> model::Store& { return store(); }, sets_blocks);
  }
}

Workbench Workbench::opened(machine::LibraryChoice choice, RunContext context, bool sets_blocks) {
  Workbench bench(std::move(choice), std::move(context));
  bench.open(sets_blocks);
  return bench;
}

const machine::LibraryChoice& Workbench::choice() const noexcept { return state_->choice; }

const machine::LibrarySet& Workbench::libraries() const {
  open();
  return state_->opened->libraries;
}

const Environment& Workbench::environment() const {
  open();
  return state_->opened->environment;
}

const machine::KernelSettings& Workbench::settings() const {
  open();
  return state_->opened->settings;
}

program::LibraryFiles Workbench::files() const { return {libraries().blas().path, libraries().lapack().path}; }

model::Store& Workbench::store() const {
  if (!state_->store) {
    state_->store.emplace(open_store(state_->context));
  }
  return *state_->store;
}

const std::shared_ptr<contract::TrialMemory>& Workbench::trials() const noexcept { return state_->trials; }

Seconds Workbench::reference_time(const model::Store& store) const { return kept_of_reference(store, environment(), "seconds"); }

namespace {

/// Returns turns in measuring among the processes that use this store.
measure::Turns turns_of(const model::Store& store, const RunContext& context) {
  static constexpr auto pause = std::chrono::milliseconds(2);
  static constexpr auto max_wait = std::chrono::seconds(30);  // for one turn: whoever has it that long is stopped, or runs something else
  if (!store.path().has_parent_path()) {
    return {};  // in memory
  }
  const auto turn = std::make_shared<measure::Turn>(store.path().string() + ".turn");
  const auto told = std::make_shared<bool>(false);
  measure::Turns turns;
  turns.take = [turn, told, context](const std::function<bool()>& go_on) {
    const auto begin = std::chrono::steady_clock::now();
    turn->take([&] {
      if (!*told) {
        *told = true;
        context.note("another flopcast measures with the same store. Both take turns, and the time budget goes on meanwhile");
      }
      std::this_thread::sleep_for(pause);
      return go_on() && std::chrono::steady_clock::now() - begin < max_wait;
    });
  };
  turns.end = [turn] { turn->end(); };
  turns.is_wanted = [turn] { return turn->is_wanted(); };
  return turns;
}

}  // namespace

measure::Session Workbench::session(const model::Store& store, measure::SessionOptions options) const {
  options.quiet_solve = quiet_solve(store, environment());
  measure::SessionServices services = measure::system_services(libraries());
  services.turns = turns_of(store, state_->context);
  return {std::move(services), environment(), options};
}

void Workbench::keep_reference(model::Store& store, const measure::Session& session) const {
  static constexpr double clearly_less = 0.97;  // medians drift by a few percent anyway
  const Seconds own = session.reference_time();
  const double kept_solve = quiet_solve(store, environment());
  const double own_solve = session.quiet_solve();
  const bool is_better = own_solve > 0 && (kept_solve <= 0 || own_solve < clearly_less * kept_solve);
  if (own > 0 && (own != reference_time(store) || is_better)) {
    store.put_environment(environment());
    put_artifact(store, model::artifact::reference_time, environment().fingerprint,
                 {{"kernel", "dgemm 256"}, {"seconds", own}, {"calm_solve", is_better ? own_solve : kept_solve}});
  }
}

model::OnDemandModels Workbench::models(const model::Store& store, const std::set<std::string>& only) const {
  return stored_models(store, environment(), only);
}

void Workbench::set_blocks(const std::string& routine, const algorithm::BlockParameters& blocks) const {
  using SetBlock = decltype(&flopcast_set_block);
  const auto set = reinterpret_cast<SetBlock>(libraries().interposer_symbol("flopcast_set_block"));
  if (set == nullptr) {
    throw internal_error("block parameters of {} can't be set: the libraries were not opened for that", routine);
  }
  if (set(routine.c_str(), static_cast<int>(blocks.nb), static_cast<int>(blocks.nbmin), static_cast<int>(blocks.nx)) != 0) {
    throw internal_error("too many routines have block parameters set");
  }
}

}  // namespace flopcast
