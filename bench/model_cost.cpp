// Reproduces figure 5 of Peise and Bientinesi 2014 on this machine: accuracy of models over the cost of their samples. Configurations of
// the refinement and the bases are compared at points that no model was built from. Samples are measured once and shared by all configurations;
// each configuration counts the samples that it asked for.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "flopcast/cli/shared/command_line.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/measure/sampler.hpp"
#include "flopcast/model/levels.hpp"
#include "flopcast/model/model_json.hpp"
#include "flopcast/model/refinement.hpp"
#include "flopcast/report/picture.hpp"
#include "flopcast/report/table.hpp"

namespace {

using namespace flopcast;

struct CostOptions {
  std::string blas = "openblas-serial";
  std::string routine = "dtrsm";
  std::int64_t largest = 512;  ///< maximum of every size; the minimum is 8
  int held_out = 150;
  int repetitions = 5;
  std::string figure;
};

/// Times of the kernel; every point is measured once.
class PointTimes {
 public:
  PointTimes(const Routine& routine, measure::Session& session) : routine_(routine), session_(session) {}

  [[nodiscard]] Call call(std::span<const std::int64_t> sizes) const {
    std::map<std::string, std::string> arguments;
    std::size_t next = 0;
    for (const Argument& argument : routine_.arguments) {
      if (argument.kind == Kind::size) {
        arguments[argument.name] = std::to_string(sizes[next++]);
      }
    }
    return kernel::parse_call(routine_, arguments);
  }

  model::MeasuredBatch operator()(std::span<const model::Sizes> points) {
    std::vector<model::Sizes> missing;
    std::copy_if(points.begin(), points.end(), std::back_inserter(missing),
                 [&](const model::Sizes& point) { return !known_.contains(point); });
    if (!missing.empty()) {
      measure(missing);
    }
    model::MeasuredBatch measured;
    for (const model::Sizes& point : points) {
      measured.seconds.push_back(known_.at(point));
    }
    return measured;
  }

 private:
  void measure(const std::vector<model::Sizes>& points) {
    std::vector<Call> calls;
    for (const model::Sizes& point : points) {
      calls.push_back(call(point));
    }
    const std::vector<Sample> samples = measure::sample(session_, calls, measure::Precondition{});
    for (std::size_t i = 0; i < points.size(); ++i) {
      known_[points[i]] = median(samples[i].times());
    }
  }

  const Routine& routine_;
  measure::Session& session_;
  std::map<model::Sizes, Seconds> known_;
};

struct ModelConfiguration {
  std::string name;
  model::RefinementOptions options;
};

std::vector<ModelConfiguration> configurations() {
  std::vector<ModelConfiguration> all = {{"paper", {}}};
  const auto add = [&all](std::string name, const auto& change) {
    model::RefinementOptions options;
    change(options);
    all.push_back({std::move(name), options});
  };
  add("rough: oversampling 0, mean error", [](model::RefinementOptions& o) { o.oversampling = 0, o.error_type = model::ErrorType::mean; });
  for (const double bound : {0.02, 0.1, 0.2}) {
    add(fmt::format("error bound {:.0f} %", 100 * bound), [bound](model::RefinementOptions& o) { o.error_bound = bound; });
  }
  for (const int degree : {1, 2}) {
    add(fmt::format("degree {}", degree), [degree](model::RefinementOptions& o) { o.degree = degree; });
  }
  for (const int oversampling : {0, 2, 3}) {
    add(fmt::format("oversampling {}", oversampling), [oversampling](model::RefinementOptions& o) { o.oversampling = oversampling; });
  }
  const auto name_of = [](auto value) { return nlohmann::json(value).template get<std::string>(); };
  for (const model::ErrorType type : {model::ErrorType::mean, model::ErrorType::median}) {
    add(fmt::format("{} error", name_of(type)), [type](model::RefinementOptions& o) { o.error_type = type; });
  }
  for (const model::Grid grid : {model::Grid::chebyshev, model::Grid::regular}) {
    add(fmt::format("{} grid", name_of(grid)), [grid](model::RefinementOptions& o) { o.grid = grid; });
  }
  for (const model::BasisKind basis : {model::BasisKind::tensor, model::BasisKind::adapted}) {
    add(fmt::format("{} basis", name_of(basis)), [basis](model::RefinementOptions& o) { o.basis = basis; });
    add(fmt::format("{} basis, mean error", name_of(basis)),
        [basis](model::RefinementOptions& o) { o.basis = basis, o.error_type = model::ErrorType::mean; });
  }
  add("minimum size 64", [](model::RefinementOptions& o) { o.min_size = 64; });
  add("no reuse of samples", [](model::RefinementOptions& o) { o.reuse = false; });
  return all;
}

std::vector<model::Sizes> random_points(const model::Box& domain, int count) {
  std::mt19937_64 random(42);
  std::set<model::Sizes> points;
  while (points.size() < static_cast<std::size_t>(count)) {
    model::Sizes point;
    for (std::size_t d = 0; d < domain.dimensions(); ++d) {
      point.push_back(8 * std::uniform_int_distribution<std::int64_t>(domain.low[d] / 8, domain.high[d] / 8)(random));
    }
    points.insert(point);
  }
  return {points.begin(), points.end()};
}

struct Result {
  std::string name;
  std::int64_t samples = 0;
  std::size_t pieces = 0;
  double mean = 0, p95 = 0, largest = 0;
};

/// Returns the accuracy of a model at those `points` that the model wasn't built from.
Result judge(std::string name, const model::Model& model, const std::set<model::Sizes>& used, const std::vector<model::Sizes>& points,
             const std::vector<Seconds>& truth) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!used.contains(points[i])) {
      errors.push_back(std::fabs(evaluate(model, points[i]).seconds / truth[i] - 1));
    }
  }
  const Summary summary = summarise(errors);
  return {std::move(name), model.cost.samples, model.pieces.size(), summary.mean, quantile(errors, 0.95), summary.maximum};
}

std::vector<Result> run_all(PointTimes& times, const model::Box& domain, const std::vector<std::string>& names,
                            const Environment& environment, const std::vector<model::Sizes>& points, const std::vector<Seconds>& truth) {
  const Call call = times.call(domain.high);
  const ModelKey key = model_key(call, "warm", environment.fingerprint);
  std::set<model::Sizes> used;
  const model::SampleSource source = [&](std::span<const model::Sizes> at) {
    used.insert(at.begin(), at.end());
    return times(at);
  };
  std::vector<Result> results;
  for (const ModelConfiguration& configuration : configurations()) {
    const std::vector<model::Monomial> basis = model::basis(configuration.options.basis, configuration.options.degree, call, domain);
    used.clear();
    const model::Model model = model::refine(key, names, {domain}, basis, configuration.options, source);
    results.push_back(judge(configuration.name, model, used, points, truth));
    std::fprintf(stderr, "%s: %lld samples\n", configuration.name.c_str(), static_cast<long long>(results.back().samples));
  }
  std::vector<std::int64_t> capacities;
  for (const CacheLevel& level : environment.caches) {
    capacities.push_back(level.capacity_bytes);
  }
  const auto footprint = [&](std::span<const std::int64_t> at) { return static_cast<double>(footprint_bytes(times.call(at))); };
  const std::vector<model::Monomial> adapted = model::adapted_basis(call, domain);
  used.clear();
  const model::Model levels = model::model_by_levels(key, names, domain, footprint, capacities, adapted, {}, source);
  results.push_back(judge("levels (Iakymchuk 2011)", levels, used, points, truth));
  return results;
}

report::Cell percent(double share) { return {share, fmt::format("{:.2f} %", 100 * share)}; }

void print(const std::vector<Result>& results) {
  report::Table table{{{"configuration", report::Align::left}, {"samples"}, {"pieces"}, {"mean error"}, {"95 %"}, {"largest"}}, {}};
  for (const Result& result : results) {
    table.rows.push_back({result.name, report::whole(result.samples), report::whole(static_cast<long long>(result.pieces)),
                          percent(result.mean), percent(result.p95), percent(result.largest)});
  }
  std::fputs(report::to_text(table).c_str(), stdout);
}

void draw(const std::vector<Result>& results, const std::string& routine, const std::string& path) {
  report::Figure figure{"Accuracy against cost of models of " + routine, {"samples", true}, {"mean error in %"}, {}};
  for (const Result& result : results) {
    figure.series.push_back(
        {result.name, {static_cast<double>(result.samples)}, {100 * result.mean}, {}, {}, report::Series::Style::points});
  }
  report::draw(figure, path);
}

void run(const CostOptions& options) {
  const Routine& routine = kernel::require(options.routine);
  const machine::LibrarySet libraries = machine::LibrarySet::open(options.blas, "reference");
  const Environment environment = machine::detect(libraries, 1);
  measure::SessionOptions session_options;
  session_options.stop.max_repetitions = options.repetitions;
  measure::Session session(libraries, environment, session_options);
  std::vector<std::string> names;
  for (const Argument& argument : routine.arguments) {
    if (argument.kind == Kind::size) {
      names.push_back(argument.name);
    }
  }
  const model::Box domain{model::Sizes(names.size(), 8), model::Sizes(names.size(), options.largest)};
  PointTimes times(routine, session);
  const std::vector<model::Sizes> points = random_points(domain, options.held_out);
  const std::vector<Seconds> truth = times(points).seconds;
  std::vector<Result> results = run_all(times, domain, names, environment, points, truth);
  PointTimes again(routine, session);
  const std::vector<Seconds> repeated = again(points).seconds;
  std::vector<double> differences;
  for (std::size_t i = 0; i < points.size(); ++i) {
    differences.push_back(std::fabs(repeated[i] / truth[i] - 1));
  }
  print(results);
  std::printf("A second measurement of the held-out points differs by %.2f %% on average. Smaller errors of a model can't be seen.\n",
              100 * summarise(differences).mean);
  if (!options.figure.empty()) {
    draw(results, options.routine, options.figure);
  }
}

}  // namespace

int main(int argc, char** argv) {
  cli::CommandLine line("model_cost", "Accuracy of kernel models against the samples they cost (Peise and Bientinesi 2014, Fig. 5)");
  cli::OptionSet app = line.options();
  CostOptions options;
  app.option("--blas", options.blas, "BLAS, by name or path").show_default();
  app.option("--routine", options.routine, "Routine with its first flags").show_default();
  app.option("--largest", options.largest, "Maximum of every size; the minimum is 8").show_default().range(64, 4096);
  app.option("--held-out", options.held_out, "Random points to judge the models by").show_default().range(10, 100000);
  app.option("--repetitions", options.repetitions, "Maximum number of repetitions of each point").show_default().range(3, 1000);
  app.option("--figure", options.figure, "Draw accuracy over cost into FILE (.svg, .png, .gp)");
  return line.run(argc, argv, [&] { run(options); });
}
