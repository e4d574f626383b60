#include "flopcast/tasks/modelling/model_build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/measure/sampler.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/levels.hpp"
#include "flopcast/model/model_json.hpp"
#include "flopcast/model/refinement.hpp"
#include "flopcast/model/thresholds.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/tasks/modelling/modelled_kernel.hpp"

namespace flopcast {
namespace {

constexpr std::size_t points_per_run = 64;  // shuffled together, then stored: what a crash can lose at most
constexpr const char* kept = "what was sampled is kept: run the same command again to go on";

/// Returns the cache state, which one model can hold. States of single operands belong to models on demand.
measure::Precondition parse_state(const std::string& text, const Call& call, const Environment& environment) {
  measure::Precondition state = measure::parse_precondition(text, call, environment);
  using State = measure::Precondition::State;
  if (state.state != State::warm && state.state != State::cold && state.state != State::level) {
    throw bad_input("a model's cache state is warm, cold, cold:sweep, cold:fresh or a cache such as L2, not '{}'", text);
  }
  return state;
}

/// The kernel of a request, its cache state and its key.
struct BuildSubject {
  BuildSubject(const ModelRequest& request, const Environment& environment) : kernel(modelled_kernel(request)) {
    Call example = kernel.example();
    example.threads = environment.threads;
    state = parse_state(request.cache, example, environment);
    key = model_key(example, measure::cache_name(state), environment.fingerprint);
  }

  ModelledKernel kernel;
  measure::Precondition state;
  ModelKey key;
};

/// Samples points with the real kernel, through the store.
class KernelSource {
 public:
  KernelSource(const BuildSubject& subject, const ModelBuildServices& services, const ModelRequest& request, const RunContext& context)
      : subject_(subject), services_(services), request_(request), context_(context) {}

  /// Called once per level; returns nothing after a cancellation or when the time budget is spent.
  std::optional<model::MeasuredBatch> operator()(std::span<const model::Sizes> points) {
    const auto bar = context_.step(fmt::format("sampling {} points", points.size()));
    model::MeasuredBatch measured;
    measured.seconds.resize(points.size());
    const Seconds begin = services_.elapsed();
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937_64(request_.seed));
    for (std::size_t first = 0; first < order.size(); first += points_per_run) {
      const std::span<const std::size_t> chunk = std::span(order).subspan(first, std::min(points_per_run, order.size() - first));
      if (!run(points, chunk, measured, [&](std::int64_t done, std::int64_t expected) {
            const double chunks =
                static_cast<double>(first) + static_cast<double>(chunk.size()) * static_cast<double>(done) / static_cast<double>(expected);
            return bar(static_cast<std::int64_t>(chunks), static_cast<std::int64_t>(points.size())) && !out_of_time();
          })) {
        return std::nullopt;
      }
    }
    measured.spent = services_.elapsed() - begin;
    return measured;
  }

 private:
  [[nodiscard]] bool out_of_time() const { return request_.time_budget > 0 && services_.elapsed() > request_.time_budget; }

  /// Samples and stores the points of one chunk. Returns false if it didn't come to its end.
  bool run(std::span<const model::Sizes> points, std::span<const std::size_t> chunk, model::MeasuredBatch& measured,
           const Progress& progress) {
    std::vector<Call> calls;
    for (const std::size_t i : chunk) {
      calls.push_back(subject_.kernel.call(points[i]));
      calls.back().threads = services_.environment.threads;
    }
    bool complete = true;
    std::vector<Sample> samples = services_.sample(calls, subject_.state, [&](std::int64_t done, std::int64_t expected) {
      complete = progress(done, expected);
      return complete;
    });
    const auto fewest = static_cast<std::size_t>(session_options(request_).stop.min_repetitions);
    std::vector<Sample> usable;
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      const std::vector<Seconds> times = samples[i].times();
      if (times.size() >= fewest) {
        measured.seconds[chunk[i]] = median(times);
        usable.push_back(std::move(samples[i]));
      } else if (complete) {
        throw unusable_measurement(
            "{} of {} repetitions of {} were preempted or slowed down; stop other programs and run it again to go on",
            samples[i].repetitions.size() - times.size(), samples[i].repetitions.size(), kernel::format_call(calls[i]));
      }
    }
    services_.store.add_samples(usable);
    return complete;
  }

  const BuildSubject& subject_;
  const ModelBuildServices& services_;
  const ModelRequest& request_;
  RunContext context_;
};

/// Returns medians of the stored samples of the same calls, whose key and strides are equal, by their sizes. Samples of another state of
/// the machine are skipped, and so measured anew.
std::map<model::Sizes, Seconds> known_samples(const BuildSubject& subject, const Environment& environment, const model::Store& store,
                                              Seconds reference) {
  const ModelledKernel& kernel = subject.kernel;
  std::map<model::Sizes, Seconds> known;
  for (const Sample& sample : store.samples(subject.key)) {
    if (!is_alike(sample.state.reference, reference)) {
      continue;
    }
    const bool inside =
        std::any_of(kernel.domain.begin(), kernel.domain.end(), [&](const model::Box& box) { return box.contains(sample.sizes); });
    const std::vector<Seconds> times = sample.times();
    if (inside && !times.empty() &&
        measure::empty_sample(kernel.call(sample.sizes), subject.key.cache, environment).strides == sample.strides) {
      known[sample.sizes] = median(times);
    }
  }
  return known;
}

std::vector<model::Monomial> basis_of(const ModelledKernel& kernel, const model::RefinementOptions& options) {
  return model::basis(options.basis, options.degree, kernel.example(), hull(kernel.domain));
}

/// Returns the products of sizes at which the library changes from one thread to several. An earlier build's result is read from the store.
std::vector<double> thresholds_of(const BuildSubject& subject, const ModelBuildServices& services, const ModelRequest& request,
                                  const RunContext& context) {
  static constexpr std::int64_t finest = 1;
  if (services.environment.threads < 2 || !request.thresholds) {
    return {};
  }
  const model::Box domain = hull(subject.kernel.domain);
  const std::string name = fmt::format("{} {} {}", to_string(subject.key), subject.key.library, nlohmann::json(domain).dump());
  const auto read = [](const nlohmann::json& known) {
    std::vector<double> thresholds;
    read_value(known, thresholds);
    return thresholds;
  };
  if (auto known = request.fresh ? std::nullopt : read_artifact(services.store, model::artifact::thread_thresholds, name, read)) {
    return *std::move(known);
  }
  const auto found = model::find_thresholds(domain, finest, [&](const model::Sizes& sizes) -> std::optional<double> {
    if (context.cancelled()) {
      return std::nullopt;
    }
    Call call = subject.kernel.call(sizes);
    call.threads = services.environment.threads;
    return services.team_size(call);
  });
  context.throw_if_cancelled("nothing was sampled yet");
  put_artifact(services.store, model::artifact::thread_thresholds, name, *found);
  for (const double threshold : *found) {
    context.note(fmt::format("{} uses another number of threads from the product of sizes {:.3g} on: the model has pieces on either side",
                             subject.key.routine, threshold));
  }
  return *found;
}

model::Model refine(const BuildSubject& subject, const ModelRequest& request, const model::SampleSource& source,
                    std::span<const double> thresholds, const RunContext& context) {
  const auto report = [&](const model::RefinementProgress& progress) {
    context.note(fmt::format("level {}: {} boxes to fit, {:.0f} % of the domain is done, {} points so far", progress.level,
                             progress.open_boxes, 100 * progress.share_done, progress.samples));
  };
  const ModelledKernel& kernel = subject.kernel;
  return model::refine(subject.key, kernel.names, kernel.domain, basis_of(kernel, request.refinement), request.refinement, source, report,
                       thresholds);
}

model::Model by_levels(const BuildSubject& subject, const ModelRequest& request, const Environment& environment,
                       const model::SampleSource& source) {
  const ModelledKernel& kernel = subject.kernel;
  if (kernel.domain.size() != 1) {
    throw usage_error("method levels takes one range per size; the memory levels are its pieces");
  }
  std::vector<std::int64_t> capacities;
  for (const CacheLevel& level : environment.caches) {
    capacities.push_back(level.capacity_bytes);
  }
  const Call call = kernel.example();
  const auto footprint = [&call](std::span<const std::int64_t> sizes) {
    return static_cast<double>(footprint_bytes(model::with_sizes(call, sizes)));
  };
  const model::Box& domain = kernel.domain.front();
  return model::model_by_levels(subject.key, kernel.names, domain, footprint, capacities, model::adapted_basis(call, domain),
                                request.levels, source);
}

void check(const ModelRequest& request) {
  model::check(request.refinement);
  model::check(request.levels);
}

}  // namespace

measure::SessionOptions session_options(const ModelRequest& request) {
  measure::SessionOptions options;
  options.seed = request.seed;
  options.stop.max_repetitions = request.max_repetitions;
  options.stop.min_repetitions = std::min(options.stop.min_repetitions, request.max_repetitions);
  return options;
}

ModelPlan plan_model(const ModelRequest& request, const Environment& environment, const model::Store& store, Seconds reference_time) {
  check(request);
  const BuildSubject subject(request, environment);
  ModelPlan plan{subject.key, request.method, request.levels.measurements, 0};
  if (request.method == ModelMethod::refine) {
    const model::RefinementOptions& options = request.refinement;
    const std::vector<model::Monomial> basis = basis_of(subject.kernel, options);
    plan.points = 0;
    for (const model::Box& box : subject.kernel.domain) {
      const auto points = model::grid_points(box, model::grid_counts(basis, box, options.oversampling), options.grid, options.min_width);
      plan.points += static_cast<std::int64_t>(points.size());
    }
  }
  if (!request.fresh) {
    plan.known = static_cast<std::int64_t>(known_samples(subject, environment, store, reference_time).size());
  }
  return plan;
}

ModelBuild build_model(const ModelRequest& request, const ModelBuildServices& services, const RunContext& context) {
  check(request);
  const BuildSubject subject(request, services.environment);
  std::map<model::Sizes, Seconds> known;
  if (!request.fresh) {
    known = known_samples(subject, services.environment, services.store, services.reference_time);
  }
  services.store.put_environment(services.environment);
  KernelSource sampler(subject, services, request, context);
  const model::SampleSource source = model::with_known([&sampler](std::span<const model::Sizes> points) { return sampler(points); }, known);
  model::Model model = request.method == ModelMethod::levels
                           ? by_levels(subject, request, services.environment, source)
                           : refine(subject, request, source, thresholds_of(subject, services, request, context), context);
  services.keep_reference();
  context.throw_if_cancelled(kept);
  if (model.pieces.empty()) {
    throw unusable_measurement("the time budget of {} is too short for the first {} fit; what was sampled is kept: run it again to go on",
                               format_seconds(request.time_budget), to_string(subject.key));
  }
  model.options.arguments = subject.kernel.fixed;
  model.options.cache = request.cache;
  const bool replaced = services.store.put_model(model);
  if (!model.options.complete) {
    context.note("the time budget is spent: some pieces are coarser than was asked for; run it again to go on");
  }
  return {std::move(model), replaced};
}

}  // namespace flopcast
