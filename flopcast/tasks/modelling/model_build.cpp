#include "flopcast/tasks/modelling/model_build.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <utility>

#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/measure/library_team_size.hpp"
#include "flopcast/measure/sampler.hpp"
#include "flopcast/measure/system_backend.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/stopwatch.hpp"

namespace flopcast {
namespace {

constexpr std::int64_t largest_size = 1'000'000;
constexpr std::size_t points_per_run = 64;  // shuffled together, then stored: what a crash can lose at most
constexpr const char* kept = "what was sampled is kept: run the same command again to go on";

using Range = std::pair<std::int64_t, std::int64_t>;

/// `64`, `8:1024`, `8:128,512:1024`.
std::vector<Range> parse_ranges(const std::string& text, const std::string& what) {
  std::vector<Range> ranges;
  for (const std::string_view item : split(text, ',')) {
    const std::vector<std::string_view> ends = split(item, ':');
    if (ends.size() > 2) {
      throw bad_input("{}: '{}' is not a size or FIRST:LAST; a model's domain has no step", what, item);
    }
    const std::int64_t first = parse_integer(ends.front(), what, 1, largest_size);
    const std::int64_t last = parse_integer(ends.back(), what, 1, largest_size);
    if (last < first) {
      throw bad_input("{}: the range {} ends before it starts", what, item);
    }
    ranges.emplace_back(first, last);
  }
  return ranges;
}

std::vector<model::Box> boxes(const std::vector<std::vector<Range>>& ranges) {
  std::vector<model::Box> all = {model::Box{}};
  for (const std::vector<Range>& of_size : ranges) {
    std::vector<model::Box> longer;
    for (const model::Box& box : all) {
      for (const auto& [low, high] : of_size) {
        longer.push_back(box);
        longer.back().low.push_back(low);
        longer.back().high.push_back(high);
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// The cache states that one model can hold; where operands lie one by one belongs to models on demand.
measure::Precondition parse_state(const std::string& text, const Call& call, const Environment& environment) {
  measure::Precondition state = measure::parse_precondition(text, call, environment);
  using State = measure::Precondition::State;
  if (state.state != State::warm && state.state != State::cold && state.state != State::level) {
    throw bad_input("--cache: a model is of the state warm, cold, cold:sweep, cold:fresh or a cache such as L2, not of '{}'", text);
  }
  return state;
}

/// Samples points with the real kernel, through the store.
class KernelSource {
 public:
  KernelSource(const ModelledKernel& kernel, measure::Precondition precondition, model::Store& store, measure::Session& session,
               Seconds time_budget, int threads, const RunContext& context)
      : kernel_(kernel),
        precondition_(std::move(precondition)),
        store_(store),
        session_(session),
        time_budget_(time_budget),
        threads_(threads),
        context_(context) {}

  /// Called once per level; nothing after Ctrl-C or when the time budget is spent.
  std::optional<model::Measured> operator()(std::span<const model::Sizes> points) {
    const auto bar = context_.step(fmt::format("sampling {} points", points.size()));
    model::Measured measured;
    measured.seconds.resize(points.size());
    const Stopwatch watch;
    std::vector<std::size_t> order(points.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
    }
    std::shuffle(order.begin(), order.end(), std::mt19937_64(session_.options().seed));
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
    measured.spent = watch.elapsed();
    return measured;
  }

  [[nodiscard]] bool out_of_time() const { return time_budget_ > 0 && watch_.elapsed() > time_budget_; }

 private:
  /// Samples and stores the points of one chunk; whether it came to its end.
  bool run(std::span<const model::Sizes> points, std::span<const std::size_t> chunk, model::Measured& measured,
           const measure::Progress& progress) {
    std::vector<Call> calls;
    for (const std::size_t i : chunk) {
      calls.push_back(kernel_.call(points[i]));
      calls.back().threads = threads_;
    }
    bool complete = true;
    std::vector<Sample> samples = measure::sample(session_, calls, precondition_, [&](std::int64_t done, std::int64_t expected) {
      complete = progress(done, expected);
      return complete;
    });
    const auto fewest = static_cast<std::size_t>(session_.options().stop.min_repetitions);
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
    store_.add_samples(usable);
    return complete;
  }

  const ModelledKernel& kernel_;
  measure::Precondition precondition_;
  model::Store& store_;
  measure::Session& session_;
  Seconds time_budget_;
  int threads_;
  RunContext context_;
  Stopwatch watch_;
};

/// Medians of the stored samples of the same calls: same key and, where the user's arguments decide, same strides.
std::map<model::Sizes, Seconds> known_samples(const ModelledKernel& kernel, const ModelKey& key, const Environment& environment,
                                              const model::Store& store, Seconds reference) {
  std::map<model::Sizes, Seconds> known;
  for (Sample& sample : store.samples(key)) {
    sample.relate_to(reference);
    const bool inside =
        std::any_of(kernel.domain.begin(), kernel.domain.end(), [&](const model::Box& box) { return box.contains(sample.sizes); });
    const std::vector<Seconds> times = sample.times();
    if (inside && !times.empty() && measure::empty_sample(kernel.call(sample.sizes), key.cache, environment).strides == sample.strides) {
      known[sample.sizes] = median(times);
    }
  }
  return known;
}

/// The smallest box that holds the whole domain.
model::Box hull(const std::vector<model::Box>& domain) {
  model::Box whole = domain.front();
  for (const model::Box& box : domain) {
    for (std::size_t d = 0; d < whole.dimensions(); ++d) {
      whole.low[d] = std::min(whole.low[d], box.low[d]);
      whole.high[d] = std::max(whole.high[d], box.high[d]);
    }
  }
  return whole;
}

std::vector<model::Monomial> basis_of(const ModelledKernel& kernel, const model::RefinementOptions& options) {
  return model::basis(options.basis, options.degree, kernel.example(), hull(kernel.domain));
}

struct Built {
  model::Model model;
  bool complete = true;
};

/// Where the library changes from one thread to several, measured or as a build before this one found it.
std::vector<double> thresholds_of(const ModelledKernel& kernel, const ModelKey& key, const ModelBuildOptions& options,
                                  const Workbench& bench, model::Store& store, const RunContext& context) {
  static constexpr std::int64_t finest = 1;
  if (options.libraries.threads < 2 || !options.thresholds) {
    return {};
  }
  const model::Box domain = hull(kernel.domain);
  const std::string name = fmt::format("{} {} {}", to_string(key), key.library, nlohmann::json(domain).dump());
  const auto read = [](const nlohmann::json& known) {
    std::vector<double> thresholds;
    read_value(known, thresholds);
    return thresholds;
  };
  if (auto known = options.fresh ? std::nullopt : store.read_artifact(model::artifact::thread_thresholds, name, read)) {
    return *std::move(known);
  }
  const measure::Backend backend = measure::system_backend(bench.libraries());
  const auto found = model::find_thresholds(domain, finest, [&](const model::Sizes& sizes) -> std::optional<double> {
    if (context.cancelled()) {
      return std::nullopt;
    }
    Call call = kernel.call(sizes);
    call.threads = options.libraries.threads;
    return measure::team_size(call, bench.environment(), backend);
  });
  context.throw_if_cancelled("nothing was sampled yet");
  store.put_artifact(model::artifact::thread_thresholds, name, *found);
  for (const double threshold : *found) {
    context.note(fmt::format("{} changes its threads where the product of its sizes is {:.3g}: the model has pieces of either side",
                             key.routine, threshold));
  }
  return *found;
}

Built refine(const ModelledKernel& kernel, const ModelKey& key, const ModelBuildOptions& options, const model::SampleSource& source,
             std::span<const double> thresholds, const RunContext& context) {
  const auto report = [&](const model::RefinementProgress& progress) {
    context.note(fmt::format("level {}: {} boxes to fit, {:.0f} % of the domain is done, {} points so far", progress.level,
                             progress.open_boxes, 100 * progress.share_done, progress.samples));
  };
  model::Refinement result =
      model::refine(key, kernel.names, kernel.domain, basis_of(kernel, options.refinement), options.refinement, source, report, thresholds);
  return {std::move(result.model), result.complete};
}

Built by_levels(const ModelledKernel& kernel, const ModelKey& key, const ModelBuildOptions& options, const Environment& environment,
                const model::SampleSource& source) {
  if (kernel.domain.size() != 1) {
    throw usage_error("--method levels takes one range per size; the memory levels are its pieces");
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
  model::LevelsModel result =
      model::model_by_levels(key, kernel.names, domain, footprint, capacities, model::adapted_basis(call, domain), options.levels, source);
  return {std::move(result.model), result.complete};
}

std::string plan_text(const ModelledKernel& kernel, const ModelKey& key, const ModelBuildOptions& options, std::size_t known) {
  const model::RefinementOptions& refinement = options.refinement;
  const std::vector<model::Monomial> basis = basis_of(kernel, refinement);
  std::size_t points = 0;
  for (const model::Box& box : kernel.domain) {
    points +=
        model::grid_points(box, model::grid_counts(basis, box, refinement.oversampling), refinement.grid, refinement.min_width).size();
  }
  const std::string plan = options.method == "refine" ? fmt::format("{} points at first, more where a polynomial doesn't fit", points)
                                                      : fmt::format("at least {} points per memory level", options.levels.measurements);
  return fmt::format("{}: {}; the store has {} in this domain", to_string(key), plan, known);
}

/// The libraries, the kernel and its known samples, which planning and building share.
struct BuildSetup {
  BuildSetup(const ModelBuildOptions& options, const RunContext& context)
      : kernel(parse_kernel(options.routine, options.arguments)),
        bench(Workbench::opened(options.libraries, context)),
        store(open_store(context)) {
    Call example = kernel.example();
    example.threads = options.libraries.threads;
    state = parse_state(options.cache, example, bench.environment());
    key = model_key(example, measure::cache_name(state), bench.environment().fingerprint);
    if (!options.fresh) {
      known = known_samples(kernel, key, bench.environment(), store, bench.reference_time(store));
    }
  }

  ModelledKernel kernel;
  Workbench bench;
  model::Store store;
  measure::Precondition state;
  ModelKey key;
  std::map<model::Sizes, Seconds> known;
};

void check(const ModelBuildOptions& options) {
  model::check(options.refinement);
  model::check(options.levels);
}

}  // namespace

Call ModelledKernel::call(std::span<const std::int64_t> sizes) const {
  std::map<std::string, std::string> arguments = fixed;
  for (std::size_t d = 0; d < names.size(); ++d) {
    arguments[names[d]] = std::to_string(sizes[d]);
  }
  return kernel::parse_call(*routine, arguments);
}

ModelledKernel parse_kernel(const std::string& routine, const std::vector<std::string>& words) {
  ModelledKernel kernel;
  kernel.routine = &kernel::require(routine);
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw bad_input("'{}' is no argument of {}; expected NAME=VALUE such as m=8:1024", word, kernel.routine->name);
    }
    if (!kernel.fixed.emplace(word.substr(0, equals), word.substr(equals + 1)).second) {
      throw bad_input("argument '{}' of {} is given twice", word.substr(0, equals), kernel.routine->name);
    }
  }
  std::vector<std::vector<Range>> ranges;
  for (const Argument& argument : kernel.routine->arguments) {
    if (argument.kind != Kind::size) {
      continue;
    }
    const auto given = kernel.fixed.find(argument.name);
    if (given == kernel.fixed.end()) {
      throw bad_input("size '{0}' of {1} is missing; give a range such as {0}=8:1024 or one value", argument.name, kernel.routine->name);
    }
    ranges.push_back(parse_ranges(given->second, fmt::format("size {} of {}", argument.name, kernel.routine->name)));
    kernel.names.push_back(argument.name);
    kernel.fixed.erase(given);
  }
  if (kernel.names.empty()) {
    throw bad_input("{} has no size: there is nothing to model", kernel.routine->name);
  }
  kernel.domain = boxes(ranges);
  static_cast<void>(kernel.example());  // refuses unknown names and illegal values now, before anything is measured
  return kernel;
}

std::string plan_model(const ModelBuildOptions& options, const RunContext& context) {
  check(options);
  const BuildSetup setup(options, context);
  return plan_text(setup.kernel, setup.key, options, setup.known.size());
}

ModelBuild build_model(const ModelBuildOptions& options, const RunContext& context) {
  check(options);
  BuildSetup setup(options, context);
  auto& [kernel, bench, store, state, key, known] = setup;
  store.put_environment(bench.environment());
  measure::Session session = bench.session(store, options.session);
  KernelSource sampler(kernel, state, store, session, options.time_budget, options.libraries.threads, context);
  const model::SampleSource source = model::with_known([&sampler](std::span<const model::Sizes> points) { return sampler(points); }, known);
  Built built = options.method == "levels"
                    ? by_levels(kernel, key, options, bench.environment(), source)
                    : refine(kernel, key, options, source, thresholds_of(kernel, key, options, bench, store, context), context);
  bench.keep_reference(store, session);
  context.throw_if_cancelled(kept);
  if (built.model.pieces.empty()) {
    throw unusable_measurement("the time budget of {} is too short for the first {} fit; what was sampled is kept: run it again to go on",
                               format_seconds(options.time_budget), to_string(key));
  }
  built.model.options["arguments"] = kernel.fixed;
  built.model.options["cache"] = options.cache;
  built.model.options["complete"] = built.complete;
  const bool replaced = store.put_model(built.model);
  if (!built.complete) {
    context.note("the time budget is spent: some pieces are coarser than was asked for; run it again to go on");
  }
  return {std::move(built.model), replaced};
}

}  // namespace flopcast
