#include "flopcast/tasks/modelling/modelling.hpp"

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/measure/library_team_size.hpp"
#include "flopcast/measure/sampler.hpp"
#include "flopcast/measure/system_services.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/tasks/modelling/model_build.hpp"
#include "flopcast/tasks/modelling/model_check.hpp"
#include "flopcast/tasks/modelling/model_check_services.hpp"
#include "flopcast/tasks/modelling/model_list.hpp"
#include "flopcast/tasks/modelling/modelled_kernel.hpp"
#include "flopcast/tasks/modelling/sample_calls.hpp"

/// The commands on a real machine: each connects the workbench with functions that are tested without one.
namespace flopcast {
namespace {

/// Returns the fingerprint of the workbench's environment, or an empty one for any environment and for a store without models.
std::string fingerprint_for(const Workbench& bench, bool any) {
  return any || bench.store().models().empty() ? "" : bench.environment().fingerprint;
}

void keep_samples(const Workbench& bench, const measure::Session& session, const std::vector<SampledCall>& sampled) {
  std::vector<Sample> measured;
  for (const SampledCall& one : sampled) {
    if (!one.sample.repetitions.empty()) {
      measured.push_back(one.sample);
    }
  }
  model::Store& store = bench.store();
  if (session.options().normalise) {
    bench.keep_reference(store, session);
  }
  store.put_environment(bench.environment());
  store.add_samples(measured);
}

}  // namespace

ModelBuild build_model(const Workbench& bench, const ModelRequest& request, const RunContext& context) {
  static_cast<void>(modelled_kernel(request));  // a wrong request is refused before libraries are opened
  const Environment& environment = bench.environment();
  model::Store& store = bench.store();
  const measure::SessionServices session_services = measure::system_services(bench.libraries());
  measure::Session session = bench.session(store, session_options(request));
  const Stopwatch watch;
  const ModelBuildServices services{environment,
                                    store,
                                    session.observe().reference,
                                    [&](std::span<const Call> calls, const measure::Precondition& state, const Progress& progress) {
                                      return measure::sample(session, calls, state, progress);
                                    },
                                    [&](const Call& call) { return measure::team_size(call, environment, session_services); },
                                    [&watch] { return watch.elapsed(); },
                                    [&] { bench.keep_reference(store, session); }};
  return build_model(request, services, context);
}

ModelPlan plan_model(const Workbench& bench, const ModelRequest& request, const RunContext&) {
  static_cast<void>(modelled_kernel(request));
  return plan_model(request, bench.environment(), bench.store(), bench.reference_time(bench.store()));
}

ModelList list_models(const Workbench& bench, bool other_machines) {
  return list_models(bench.store(), fingerprint_for(bench, false), other_machines);
}

model::Model find_model(const Workbench& bench, const std::string& name, bool other_machines) {
  return find_model(bench.store(), fingerprint_for(bench, other_machines), name);
}

std::string delete_model(const Workbench& bench, const std::string& name) {
  std::string full_name = model::name(find_model(bench.store(), "", name));
  bench.store().delete_model(full_name);
  return full_name;
}

ModelCheck check_models(const Workbench& bench, const ModelCheckRequest& given, const RunContext& context) {
  ModelCheckRequest request = given;
  for (std::string& routine : request.routines) {
    routine = kernel::require(routine).name;
  }
  model::Store& store = bench.store();
  if (store.sample_count() == 0) {  // known before libraries are opened and caches measured
    throw bad_input("the store {} has no samples; 'flopcast tune dgeqrf --n 200:800' takes some", store.path().string());
  }
  const Environment& environment = bench.environment();
  measure::SessionOptions options;
  options.seed = request.seed;
  options.stop.min_repetitions = options.stop.max_repetitions = request.repetitions;
  measure::Session session = bench.session(store, options);
  const machine::OtherLoad load;
  const Stopwatch watch;
  const ModelCheckServices services{
      environment,
      store,
      [&session] { return session.observe(); },
      [&session](std::span<const measure::Experiment> experiments, const Progress& go_on) { return session.run(experiments, go_on); },
      [&watch] { return watch.elapsed(); },
      [&load] { return load.cores().value_or(0); },
      [&] { bench.keep_reference(store, session); }};
  return check_models(request, services, context);
}

SampleResult sample(const Workbench& bench, std::span<const Call> calls, const SampleRequest& request, const RunContext& context) {
  bench.open();
  measure::Session session = bench.session(bench.store(), session_options(request));
  const Stopwatch watch;
  SampleResult result = sample(
      session, calls, request, [&watch] { return watch.elapsed(); }, context);
  note_speed(bench.reference_time(bench.store()), session.reference_time(), context);
  if (request.keep) {
    keep_samples(bench, session, result.samples);
  }
  return result;
}

SampleResult sample(const Workbench& bench, const SampleRequest& request, const RunContext& context) {
  std::vector<Call> calls;
  for (const std::string& text : request.calls) {
    const std::vector<Call> more = kernel::expand_calls(text);
    calls.insert(calls.end(), more.begin(), more.end());
  }
  return sample(bench, calls, request, context);
}

std::vector<PlannedSample> plan_samples(const Workbench& bench, std::span<const Call> calls, const SampleRequest& request) {
  return plan_samples(bench.environment(), calls, request);
}

}  // namespace flopcast
