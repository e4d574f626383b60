#include "flopcast/workbench/workbench.hpp"

#include <fmt/format.h>

#include <string>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/machine/cpu/affinity.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/detect.hpp"
#include "flopcast/machine/libraries/installed.hpp"
#include "flopcast/preload/tuned/tuned.h"
#include "flopcast/program/component.hpp"
#include "flopcast/support/control_group.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/support/run_context.hpp"

namespace flopcast {
namespace {

constexpr const char* reference_artifact = "reference-time";

machine::LibrarySet open_libraries(const machine::LibraryChoice& options, bool interposer) {
  const std::string blas = options.blas.empty() ? machine::default_blas(options.threads) : options.blas;
  const int integer_bytes = machine::Library::open(blas).identity().integer_bytes;
  const std::string lapack = options.lapack.empty() ? machine::default_lapack(integer_bytes) : options.lapack;
  machine::LibrarySet libraries =
      machine::LibrarySet::open(blas, lapack, interposer ? interpose::find_component("libflopcast-tuned.so").string() : std::string());
  libraries.set_threads(options.threads);
  return libraries;
}

/// A group that has used its time up stops until its next period, in the middle of a kernel.
void note_quota(int threads, const RunContext& context) {
  const double granted = control_group_limits().cpus;
  if (granted > 0 && threads > granted) {
    context.note(
        fmt::format("warning: the control group grants {:g} CPUs' worth of time to {} thread{}: long kernels are stopped now and then, "
                    "short ones aren't",
                    granted, threads, threads == 1 ? "" : "s"));
  }
}

}  // namespace

std::string place_text(const Environment& environment) {
  const auto name = [](const LibraryIdentity& library) {
    return library.name + (library.version.empty() ? "" : " " + library.version) +
           (library.kernels.empty() ? "" : " (kernels " + library.kernels + ")");
  };
  return fmt::format("{} with {} thread{}, LAPACK {}", name(environment.blas), environment.threads, environment.threads == 1 ? "" : "s",
                     name(environment.lapack));
}

model::Store open_store(const RunContext& context) {
  model::Store store = model::Store::open();
  if (!store.warning().empty()) {
    context.note("warning: " + store.warning());
  }
  return store;
}

namespace {

/// A number of what is kept about the reference kernels; 0 if nothing is yet.
double kept_of_reference(const model::Store& store, const Environment& environment, const char* member) {
  const auto read = [member](const nlohmann::json& kept) { return member_or(kept, member, 0.0); };
  return store.read_artifact(reference_artifact, environment.fingerprint, read).value_or(0.0);
}

/// Reference solve over reference product while nothing disturbed.
double calm_solve(const model::Store& store, const Environment& environment) { return kept_of_reference(store, environment, "calm_solve"); }

}  // namespace

Seconds reference_time(const model::Store& store, const Environment& environment) {
  return kept_of_reference(store, environment, "seconds");
}

model::OnDemandModels stored_models(const model::Store& store, const Environment& environment, const std::set<std::string>& only) {
  model::OnDemandModels models(environment);
  const Seconds reference = reference_time(store, environment);
  for (const ModelKey& key : store.sampled_keys()) {
    if (key.library != environment.fingerprint || key.cache != "placed" || key.threads != environment.threads ||
        (!only.empty() && only.count(key.routine) == 0)) {
      continue;
    }
    for (Sample& sample : store.samples(key)) {
      sample.relate_to(reference);
      models.add(sample, call_of(sample, kernel::find));
    }
  }
  models.fit();
  return models;
}

namespace {

/// What is measured on cores of several kinds in turns is true of none: this process keeps to the fastest kind if it has cores enough.
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
KernelSettings chosen_kernels(const machine::LibraryChoice& options, const RunContext& context) {
  keep_to_one_kind(options.threads, context);
  return choose_kernels(options, context);
}

}  // namespace

Workbench::Workbench(const machine::LibraryChoice& options, const RunContext& context, bool interposer)
    : settings_(chosen_kernels(options, context)),
      libraries_(open_libraries(options, interposer)),
      environment_(machine::detect(libraries_, options.threads, {.progress = context.step("measuring caches")})) {
  note_quota(options.threads, context);
}

interpose::LibraryFiles Workbench::files() const { return {libraries_.blas().path, libraries_.lapack().path}; }

Seconds Workbench::reference_time(const model::Store& store) const { return reference_time(store, environment_); }

measure::Session Workbench::session(const model::Store& store, measure::SessionOptions options) const {
  options.reference_time = reference_time(store);
  options.calm_solve = calm_solve(store, environment_);
  return {libraries_, environment_, options};
}

void Workbench::keep_reference(model::Store& store, const measure::Session& session) const {
  static constexpr double clearly_less = 0.97;  // medians wander by a few percent anyway
  const auto is_better = [](double own, double kept) { return own > 0 && (kept <= 0 || own < clearly_less * kept); };
  const Seconds kept = reference_time(store);
  const Seconds own = session.own_reference_time();
  const double kept_solve = calm_solve(store, environment_);
  const double own_solve = session.calm_solve();
  if (is_better(own, kept) || is_better(own_solve, kept_solve)) {
    store.put_environment(environment_);
    store.put_artifact(reference_artifact, environment_.fingerprint,
                       {{"kernel", "dgemm 256"},
                        {"seconds", is_better(own, kept) ? own : kept},
                        {"calm_solve", is_better(own_solve, kept_solve) ? own_solve : kept_solve}});
  }
}

model::OnDemandModels Workbench::models(const model::Store& store, const std::set<std::string>& only) const {
  return stored_models(store, environment_, only);
}

void Workbench::set_blocks(const std::string& routine, const algorithm::BlockParameters& blocks) const {
  using SetBlock = decltype(&flopcast_set_block);
  const auto set = reinterpret_cast<SetBlock>(libraries_.interposer_symbol("flopcast_set_block"));
  if (set == nullptr) {
    throw internal_error("block parameters of {} can't be set: the libraries were opened without the interposer", routine);
  }
  if (set(routine.c_str(), static_cast<int>(blocks.nb), static_cast<int>(blocks.nbmin), static_cast<int>(blocks.nx)) != 0) {
    throw internal_error("too many routines have block parameters set");
  }
}

}  // namespace flopcast
