// Measures the error of kernel models on demand at points that were not sampled. The program draws calls from traces of random orders and
// block sizes, each call with a probability in proportion to its time. It measures the calls in their context and compares their times with
// the models in the store of FLOPCAST_HOME. Sampled places don't count. The noise floor beside the errors is the error of a median
// according to the spread of its repetitions.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/cache/placement.hpp"
#include "flopcast/cli/shared/command_line.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/measure/session.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tune/segment.hpp"

namespace {

using namespace flopcast;

struct AccuracyOptions {
  std::string blas = "openblas-serial";
  std::string routines = "dgeqrf,dpotrf";
  std::int64_t smallest = 200, largest = 3200, largest_block = 192;
  int traces = 40;  ///< number of traces per routine
  int calls_per_trace = 12;
  int repetitions = 7;
  int worst = 0;
  std::uint64_t seed = 1;
};

/// Sizes and levels of a call; calls with equal values are at the same place.
using Place = std::vector<double>;

struct PredictedPoint {
  Call call;
  Placement placement;
  Seconds predicted = 0;
  std::vector<Seconds> times;

  [[nodiscard]] double error() const { return predicted / median(times) - 1; }
};

/// Returns the relative standard error of the median of `times`.
double noise_of(const std::vector<Seconds>& times) {
  const double centre = median(times);
  std::vector<double> distances;
  for (const Seconds time : times) {
    distances.push_back(std::fabs(time / centre - 1));
  }
  return 1.2533 * 1.4826 * median(distances) / std::sqrt(static_cast<double>(times.size()));
}

/// A trace and the calls of it that are measured.
struct Drawn {
  Trace trace;
  std::vector<Placement> placements;
  std::vector<tuning::TimedSegment> segments;
};

class KernelCheckup {
 public:
  explicit KernelCheckup(const AccuracyOptions& options)
      : options_(options),
        libraries_(machine::LibrarySet::open(options.blas, machine::default_lapack())),
        environment_((libraries_.set_threads(1), machine::detect(libraries_))),
        models_(environment_),
        random_(options.seed) {
    load();
  }

  void run() {
    std::vector<Drawn> drawn;
    for (const std::string_view routine : split(options_.routines, ',')) {
      for (int i = 0; i < options_.traces; ++i) {
        drawn.push_back(draw(kernel::require(routine)));
      }
    }
    measure(drawn);
    print();
  }

 private:
  void load() {
    const model::Store store = model::Store::open();
    if (!find_artifact(store, "reference-time", environment_.fingerprint)) {
      throw bad_input("the store {} has no samples of {}. Tune a routine with `flopcast tune` first", store.path().string(),
                      environment_.blas.path);
    }
    for (const ModelKey& key : store.sampled_keys()) {
      if (key.library != environment_.fingerprint || key.cache != "placed") {
        continue;
      }
      for (const Sample& sample : store.samples(key)) {
        const Call call = call_of(sample, kernel::find);
        if (models_.add(sample, call)) {
          sampled_[models_.key(call)].insert(model::KernelProcess::coordinates(call, sample.placement, models_.baseline()));
        }
      }
    }
    models_.fit();
  }

  std::int64_t uniform(std::int64_t low, std::int64_t high) { return std::uniform_int_distribution<std::int64_t>(low, high)(random_); }

  Drawn draw(const Routine& routine) {
    const std::string n = std::to_string(8 * uniform(options_.smallest / 8, options_.largest / 8));
    std::map<std::string, std::string> arguments = {{"n", n}, {"lda", n}};
    if (routine.index("m") >= 0) {
      arguments["m"] = n;
    }
    if (routine.index("uplo") >= 0) {
      arguments.emplace("uplo", "L");
    }
    Drawn drawn;
    drawn.trace = algorithm::record(kernel::parse_call(routine, arguments), {8 * uniform(2, options_.largest_block / 8), 2, 128});
    drawn.placements = cache::cache_state(drawn.trace, environment_.caches, cache::Start::filled).placements;
    std::vector<Seconds> costs;
    for (std::size_t c = 0; c < drawn.trace.calls.size(); ++c) {
      costs.push_back(models_.seconds(drawn.trace.calls[c], drawn.placements[c]));
    }
    std::discrete_distribution<std::size_t> by_time(costs.begin(), costs.end());
    for (int i = 0; i < options_.calls_per_trace; ++i) {
      const std::size_t wanted = by_time(random_);
      tuning::TimedSegment segment = tuning::segment_around(drawn.trace, drawn.placements, costs, wanted);
      segment.begin = wanted;
      segment.end = wanted + 1;
      drawn.segments.push_back(segment);
    }
    return drawn;
  }

  void measure(const std::vector<Drawn>& drawn) {
    measure::SessionOptions session_options;
    session_options.stop.max_repetitions = options_.repetitions;
    session_options.stop.min_repetitions = std::min(5, options_.repetitions);
    measure::Session session(libraries_, environment_, session_options);
    std::vector<measure::Experiment> experiments;
    std::vector<PredictedPoint> points;
    for (const Drawn& one : drawn) {
      for (const tuning::TimedSegment& segment : one.segments) {
        const Call& call = one.trace.calls[segment.begin];
        const Placement& placement = one.placements[segment.begin];
        const ModelKey key = models_.key(call);
        const Place place = model::KernelProcess::coordinates(call, placement, models_.baseline());
        if (model::returns_at_once(call) || !sampled_[key].insert(place).second) {
          continue;  // sampled or drawn before
        }
        experiments.push_back(tuning::experiment(one.trace, one.placements, segment, environment_));
        points.push_back({call, placement, models_.seconds(call, placement), {}});
      }
    }
    const std::vector<measure::Timings> timings = session.run(experiments);
    for (std::size_t i = 0; i < points.size(); ++i) {
      for (const Repetition& repetition : timings[i].calls.front()) {
        if (!repetition.discarded) {
          points[i].times.push_back(repetition.normalised());
        }
      }
      if (!points[i].times.empty()) {
        points_[models_.key(points[i].call)].push_back(points[i]);
      }
    }
  }

  void print() {
    std::printf("%s, %s kernels\n\n", environment_.blas.path.c_str(), environment_.blas.kernels.c_str());
    report::Table table;
    table.columns = {
        {"kernel", report::Align::left}, {"sampled"}, {"points"},      {"mean error"}, {"median"}, {"95th percentile"}, {"bias"},
        {"noise of a median"},           {"nugget"},  {"cliff, flops"}};
    const auto percent = [](double value) { return report::Cell(value, fmt::format("{:.1f} %", 100 * value)); };
    for (auto& [key, points] : points_) {
      std::sort(points.begin(), points.end(),
                [](const PredictedPoint& a, const PredictedPoint& b) { return std::fabs(a.error()) > std::fabs(b.error()); });
      std::vector<double> errors;
      std::vector<double> signed_errors;
      std::vector<double> noise;
      for (const PredictedPoint& point : points) {
        errors.push_back(std::fabs(point.error()));
        signed_errors.push_back(point.error());
        noise.push_back(noise_of(point.times));
      }
      for (std::size_t i = 0; i < std::min(points.size(), static_cast<std::size_t>(options_.worst)); ++i) {
        print_point(points[i]);
      }
      const auto known = models_.kernels().find(key);
      const bool fitted = known != models_.kernels().end() && known->second.fitted();
      const Summary summary = summarise(errors);
      table.rows.push_back({to_string(key), report::whole(fitted ? static_cast<long long>(known->second.observations()) : 0),
                            report::whole(static_cast<long long>(errors.size())), percent(summary.mean), percent(summary.median),
                            percent(quantile(errors, 0.95)), percent(median(signed_errors)), percent(median(noise)),
                            fitted ? percent(known->second.process().parameters().nugget) : report::Cell(std::string()),
                            fitted ? fmt::format("{:.3g}", fmt::join(known->second.cliffs(), " ")) : std::string()});
    }
    std::printf("%s\n", report::to_text(table).c_str());
  }

  static void print_point(const PredictedPoint& point) {
    std::string levels;
    for (const OperandState& state : point.placement) {
      levels += fmt::format(" {}:{}", state.level, format_bytes(static_cast<double>(state.distance_bytes)));
    }
    std::printf("%s\n", fmt::format("{:+6.1f} %  {}  levels{}  {}", 100 * point.error(), kernel::format_call(point.call), levels,
                                    format_seconds(median(point.times)))
                            .c_str());
  }

  AccuracyOptions options_;
  machine::LibrarySet libraries_;
  Environment environment_;
  model::OnDemandModels models_;
  std::mt19937_64 random_;
  std::map<ModelKey, std::set<Place>> sampled_;
  std::map<ModelKey, std::vector<PredictedPoint>> points_;
};

}  // namespace

int main(int argc, char** argv) {
  cli::CommandLine line("kernel_accuracy",
                        "Error of kernel models on demand at points that were not sampled; uses the store of FLOPCAST_HOME");
  cli::OptionSet app = line.options();
  AccuracyOptions options;
  app.option("--blas", options.blas,
             "BLAS by name or path, with the kernels of the tuning: set OPENBLAS_CORETYPE or BLIS_ARCH_TYPE as there")
      .show_default();
  app.option("--routines", options.routines).show_default();
  app.option("--traces", options.traces, "number of traces per routine, with random orders and block sizes").show_default();
  app.option("--calls", options.calls_per_trace, "number of calls drawn from every trace").show_default();
  app.option("--repetitions", options.repetitions).show_default();
  app.option("--worst", options.worst, "number of places with the largest errors that are shown per kernel");
  app.option("--seed", options.seed).show_default();
  return line.run(argc, argv, [&] { KernelCheckup(options).run(); });
}
