// Error of kernel models at points that they were not fitted to: of the samples that tuning has left in the store, every fifth place of each kernel is held out, a model on
// demand fitted to the rest, and its estimates compared with what was measured there. Beside it the noise floor: the error of a median by the spread of its repetitions.
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "flopcast/core/error.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/core/units.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/report/table.hpp"

namespace {

using namespace flopcast;

constexpr std::size_t fewest_places = 20;
constexpr std::size_t held_out = 5;  // every fifth

/// Relative standard error of a median.
double noise_of(const std::vector<Seconds>& times) {
  const double centre = median(times);
  std::vector<double> distances;
  for (const Seconds time : times) {
    distances.push_back(std::fabs(time / centre - 1));
  }
  return 1.2533 * 1.4826 * median(distances) / std::sqrt(static_cast<double>(times.size()));
}

/// The same sizes and cache levels are one place, wherever they were measured.
using Place = std::vector<std::int64_t>;
Place place_of(const Sample& sample) {
  Place place = sample.sizes;
  for (const OperandState& state : sample.placement) {
    place.push_back(state.level);
  }
  return place;
}

/// The places where the model is farthest off.
void print_worst(const std::vector<double>& errors, const std::vector<const Sample*>& samples, int worst) {
  std::vector<std::size_t> order(errors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return errors[a] > errors[b]; });
  order.resize(std::min(order.size(), static_cast<std::size_t>(worst)));
  for (const std::size_t i : order) {
    const Sample& sample = *samples[i];
    std::string levels;
    for (const OperandState& state : sample.placement) {
      levels += fmt::format(" {}:{}", state.level, format_bytes(static_cast<double>(state.distance_bytes)));
    }
    std::printf("%s\n", fmt::format("{:6.1f} %  {}  levels{}  {}", 100 * errors[i], kernel::format_call(call_of(sample, kernel::find)),
                                    levels, format_seconds(median(sample.times())))
                            .c_str());
  }
}

void add_row(report::Table& table, const ModelKey& key, const std::vector<Sample>& samples, const Environment& environment, int worst) {
  std::map<Place, std::vector<const Sample*>> places;
  for (const Sample& sample : samples) {
    if (!sample.times().empty()) {
      places[place_of(sample)].push_back(&sample);
    }
  }
  if (places.size() < fewest_places) {
    return;
  }
  model::OnDemandModels models(environment);
  std::vector<const Sample*> others;
  std::size_t count = 0;
  for (const auto& [place, there] : places) {
    const bool out = ++count % held_out == 0;
    for (const Sample* sample : there) {
      if (out) {
        others.push_back(sample);
      } else {
        models.add(*sample, call_of(*sample, kernel::find));
      }
    }
  }
  models.fit();
  std::vector<double> errors;
  std::vector<double> noise;
  for (const Sample* sample : others) {
    const std::vector<Seconds> times = sample->times();
    errors.push_back(std::fabs(models.seconds(call_of(*sample, kernel::find), sample->placement) / median(times) - 1));
    noise.push_back(noise_of(times));
  }
  print_worst(errors, others, worst);
  const Summary summary = summarise(errors);
  const model::KernelProcess& kernel = models.kernels().at(key);
  const model::ProcessParameters& process = kernel.process().parameters();
  const auto percent = [](double value) { return report::Cell(value, fmt::format("{:.1f} %", 100 * value)); };
  table.rows.push_back({to_string(key), report::whole(static_cast<long long>(places.size() - count / held_out)),
                        report::whole(static_cast<long long>(errors.size())), percent(summary.mean), percent(summary.median),
                        percent(quantile(errors, 0.95)), percent(median(noise)), percent(process.nugget), percent(process.amplitude),
                        fmt::format("{:.2g}", fmt::join(process.lengths, " ")),
                        kernel.cliff() ? fmt::format("{:.3g}", *kernel.cliff()) : std::string()});
}

void run(int worst) {
  const model::Store store = model::Store::open();
  report::Table table;
  table.columns = {{"kernel", report::Align::left}, {"fitted to"}, {"held out"},  {"mean error"}, {"median"},      {"95th percentile"},
                   {"noise of a median"},           {"nugget"},    {"amplitude"}, {"lengths"},    {"cliff, flops"}};
  for (const Environment& environment : store.environments()) {
    std::printf("%s, %s kernels\n\n", environment.blas.path.c_str(), environment.blas.kernels.c_str());
    table.rows.clear();
    for (const ModelKey& key : store.sampled_keys()) {
      if (key.library == environment.fingerprint && key.cache == "placed") {
        add_row(table, key, store.samples(key), environment, worst);
      }
    }
    std::printf("%s\n", report::to_text(table).c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Error of kernel models on demand at points that were not sampled; uses the store of FLOPCAST_HOME");
  int worst = 0;
  app.add_option("--worst", worst, "of every kernel, show so many of the places with the largest errors");
  CLI11_PARSE(app, argc, argv);
  try {
    run(worst);
  } catch (const Error& error) {
    std::fprintf(stderr, "kernel_accuracy: %s\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
