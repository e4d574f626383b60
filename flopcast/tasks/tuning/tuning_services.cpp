#include "flopcast/tasks/tuning/tuning_services.hpp"

#include <memory>

#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/measure/session.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/tasks/tuning/tuning_session.hpp"

namespace flopcast {
namespace {

measure::SessionOptions session_options(std::uint64_t seed) {
  measure::SessionOptions options;
  options.seed = seed;
  options.stop = sampling_rule();
  return options;
}

/// Starts its child when the first recording is asked for.
class LazyRecorder {
 public:
  explicit LazyRecorder(program::LibraryFiles files) : files_(std::move(files)) {}
  program::Recorder& operator()() {
    if (!recorder_) {
      recorder_.emplace(files_);
    }
    return *recorder_;
  }

 private:
  program::LibraryFiles files_;
  std::optional<program::Recorder> recorder_;
};

}  // namespace

TuningServices tuning_services(const Workbench& bench, model::Store& store, std::uint64_t seed, const RunContext& context) {
  const auto session = std::make_shared<measure::Session>(bench.session(store, session_options(seed)));
  const auto recorder = std::make_shared<LazyRecorder>(bench.files());
  TuningServices services;
  services.environment = bench.environment();
  services.models = [&](const std::set<std::string>& kernels) { return bench.models(store, kernels); };
  services.samples = [&](const std::string& state) {
    std::vector<Sample> all;
    for (const ModelKey& key : store.sampled_keys()) {
      if (key.cache == state && key.library == bench.environment().fingerprint && key.threads == bench.environment().threads) {
        const std::vector<Sample> own = store.samples(key);
        all.insert(all.end(), own.begin(), own.end());
      }
    }
    return all;
  };
  services.sampling = [&bench, &store, session, context](const SamplingLimits& limits) {
    return sampling_services(*session, store, bench, limits, context);
  };
  services.measure = [session](std::span<const measure::Experiment> experiments, const measure::StopRule& rule, const Progress& go_on) {
    session->options().stop = rule;
    std::vector<measure::Timings> timings = session->run(experiments, go_on);
    session->options().stop = sampling_rule();
    return timings;
  };
  services.clock = [watch = Stopwatch()] { return watch.elapsed(); };
  services.watch_others = [] { return [load = machine::OtherLoad()] { return load.cores().value_or(0); }; };
  services.tunable_calls = [recorder](const Call& call) { return (*recorder)().tunable_calls(call); };
  services.block_size_query = [recorder](const Call& call) { return (*recorder)().block_size_query(call); };
  services.record = [recorder](const Call& call, const std::optional<algorithm::BlockParameters>& blocks) {
    return (*recorder)().record(call, blocks);
  };
  services.set_blocks = [&bench](const std::string& routine, const algorithm::BlockParameters& blocks) {
    bench.set_blocks(routine, blocks);
  };
  services.find_function = [&bench](std::string_view routine) { return bench.libraries().find(routine); };
  services.lapack_file = [recorder] {
    const program::LibraryFiles& files = (*recorder)().loaded();
    return (files.lapack.empty() ? files.blas : files.lapack).string();
  };
  return services;
}

}  // namespace flopcast
