#include "flopcast/cli/contract_ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "flopcast/cli/contract_document.hpp"
#include "flopcast/cli/interrupt.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/contract/algorithms/validate.hpp"
#include "flopcast/contract/prediction/segment_experiment.hpp"
#include "flopcast/contract/prediction/timing_memory.hpp"
#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/measure/session.hpp"
#include "flopcast/program/recording_warnings.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {

using contract::Algorithm;
using contract::Contraction;

namespace {

/// Mean of |predicted - measured| / measured over what was executed (the error of paper 002's figure 1); NaN if nothing was.
double mean_error(const ContractRanking& ranking) {
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < ranking.measured.size(); ++i) {
    if (!std::isnan(ranking.measured[i])) {
      sum += std::abs(ranking.forecasts.each[i].seconds / ranking.measured[i] - 1);
      ++count;
    }
  }
  return count == 0 ? std::nan("") : sum / count;
}

/// How much longer the algorithm that was predicted to be the fastest takes than the one that is; NaN if one wasn't executed.
double regret(const ContractRanking& ranking) {
  double best = std::nan("");
  for (const Seconds one : ranking.measured) {
    best = std::fmin(best, one);
  }
  return ranking.measured.at(ranking.order.front()) / best - 1;
}

/// As paper 002 plots it: what algorithm `i` is predicted to do in a cycle of the clock.
double flops_per_cycle(const ContractRanking& ranking, std::size_t i, const Contraction& contraction) {
  return contract::flops(contraction) / ranking.forecasts.each[i].seconds / ranking.frequency;
}

nlohmann::json document(const ContractRanking& ranking, const Contraction& contraction, const ContractOptions& options,
                        const Environment& environment) {
  nlohmann::json json = to_json(contraction);
  json["schema"] = "flopcast-contract-1";
  json["environment"] = environment;
  json["options"] = {{"stage", options.stage}, {"repetitions", options.repetitions}, {"prefetched_lines", options.prefetched_lines}};
  json["algorithms"] = nlohmann::json::array();
  for (const std::size_t i : ranking.order) {
    const contract::Forecast& forecast = ranking.forecasts.each[i];
    nlohmann::json one = to_json(ranking.algorithms[i], contraction);
    one["seconds"] = forecast.seconds;
    one["interval_95"] = {forecast.interval.low, forecast.interval.high};
    one["flops_per_cycle"] = flops_per_cycle(ranking, i, contraction);
    one["tie"] = contract::ties(forecast, ranking.forecasts.each[ranking.order.front()]);
    for (const contract::Part& part : forecast.parts) {
      one["parts"].push_back({{"what", part.what}, {"calls", part.calls}, {"seconds", part.seconds}});
    }
    if (!ranking.measured.empty() && !std::isnan(ranking.measured[i])) {
      one["measured_seconds"] = ranking.measured[i];
    }
    json["algorithms"].push_back(std::move(one));
  }
  json["cost"] = {{"seconds", ranking.cost},
                  {"benchmarks", ranking.forecasts.benchmarks},
                  {"shared", ranking.forecasts.shared},
                  {"known", ranking.forecasts.known}};
  if (!ranking.measured.empty()) {
    json["mean_error"] = mean_error(ranking);
    json["regret"] = regret(ranking);
  }
  return json;
}

report::Table ranking_table(const ContractRanking& ranking, const Contraction& contraction, bool all) {
  constexpr std::size_t max_rows = 12;
  report::Table table{{{"algorithm", report::Align::left},
                       {"predicted", report::Align::right, "predicted_seconds"},
                       {"95 %", report::Align::left, "predicted_seconds", true},
                       {"flops/cycle"},
                       {"tie", report::Align::left}},
                      {}};
  if (!ranking.measured.empty()) {
    table.columns.push_back({"measured", report::Align::right, "measured_seconds"});
    table.columns.push_back({"error"});
  }
  const std::size_t rows = all || !ranking.measured.empty() ? ranking.order.size() : std::min(max_rows, ranking.order.size());
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t i = ranking.order[row];
    const contract::Forecast& forecast = ranking.forecasts.each[i];
    const double rate = flops_per_cycle(ranking, i, contraction);
    std::vector<report::Cell> cells = {
        ranking.algorithms[i].name(),
        report::Cell(forecast.seconds, format_seconds(forecast.seconds)),
        {forecast.interval.low, forecast.interval.high,
         fmt::format("{} .. {}", format_seconds(forecast.interval.low), format_seconds(forecast.interval.high))},
        report::Cell(rate, fmt::format("{:.2f}", rate)),
        row == 0 || contract::ties(forecast, ranking.forecasts.each[ranking.order.front()]) ? "*" : ""};
    if (!ranking.measured.empty()) {
      const Seconds measured = ranking.measured[i];
      const double error = forecast.seconds / measured - 1;
      cells.push_back(std::isnan(measured) ? report::Cell("") : report::Cell(measured, format_seconds(measured)));
      cells.push_back(std::isnan(measured) ? report::Cell("") : report::Cell(error, format_percent(error)));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

namespace {

/// Times of earlier runs, for a ranking that isn't compared with executions: these have to meet the machine in the same mood.
contract::TimingMemory earlier_times(const ContractOptions& options, const contract::BenchmarkOptions& benchmarks, const Workbench& bench,
                                     model::Store& store) {
  if (options.fresh || options.validate) {
    return {};
  }
  const std::string context =
      fmt::format("repetitions {} prefetched {} capacity {} threads {} {}", options.repetitions, benchmarks.prefetched_lines,
                  bench.environment().caches.empty() ? 0 : bench.environment().caches.back().capacity_bytes, benchmarks.threads,
                  bench.environment().fingerprint);
  return contract::timings_in(store, context, static_cast<std::size_t>(std::min(contract::fewest_preparations, options.repetitions)),
                              bench.reference_time(store));
}

contract::Forecasts make_forecasts(const ContractOptions& options, const Contraction& contraction, std::span<const Algorithm> algorithms,
                                   const Workbench& bench, const CommonOptions& common) {
  model::Store store = open_store(run_context(common));
  measure::SessionOptions session_options;
  session_options.normalise = !options.validate;  // executions aren't normalised either
  session_options.stop.min_repetitions = session_options.stop.max_repetitions = options.repetitions;
  std::optional<measure::Session> session;  // looks at the machine for 10 ms: only if something is to be measured
  contract::BenchmarkOptions benchmark_options;
  benchmark_options.stage = contract::parse_stage(options.stage);
  benchmark_options.prefetched_lines = options.prefetched_lines;
  benchmark_options.repetitions = options.repetitions;
  benchmark_options.threads = options.libraries.threads;
  benchmark_options.find = [&](std::string_view routine) { return bench.libraries().find(routine); };
  try {
    contract::Forecasts forecasts = contract::forecast(
        algorithms, contraction, bench.environment(), benchmark_options,
        [&](std::span<const measure::Experiment> experiments) {
          if (!session) {
            session.emplace(bench.session(store, session_options));
          }
          return session->run(experiments, run_context(common).step("timing kernels"));
        },
        earlier_times(options, benchmark_options, bench, store));
    if (session) {
      bench.keep_reference(store, *session);
    }
    return forecasts;
  } catch (const Error&) {  // of a run that was cut short nothing can be predicted
    throw_if_interrupted("kernels that were timed often enough are kept");
    throw;
  }
}

}  // namespace

ContractRanking make_ranking(const ContractOptions& options, const Contraction& contraction, std::vector<Algorithm> algorithms,
                             const Workbench& bench, const CommonOptions& common) {
  ContractRanking ranking;
  ranking.algorithms = std::move(algorithms);
  const Stopwatch watch;
  ranking.forecasts = make_forecasts(options, contraction, ranking.algorithms, bench, common);
  throw_if_interrupted("kernels that were timed often enough are kept");
  ranking.cost = watch.elapsed();
  ranking.order = contract::ranking(ranking.forecasts.each);
  ranking.frequency = machine::core_frequency(machine::WallClock());
  if (options.validate) {
    bench.libraries().set_threads(options.libraries.threads);  // the session's reference kernel has changed it
    std::vector<Seconds> predicted;
    for (const contract::Forecast& forecast : ranking.forecasts.each) {
      predicted.push_back(forecast.seconds);
    }
    ranking.measured = contract::execution_times(
        ranking.algorithms, contraction, [&](std::string_view routine) { return bench.libraries().find(routine); }, predicted, {},
        run_context(common).step("executing"));
    throw_if_interrupted("nothing is kept");
  }
  return ranking;
}

void show_ranking(const ContractRanking& ranking, const Contraction& contraction, const ContractOptions& options,
                  const Environment& environment, const CommonOptions& common) {
  if (common.json) {
    emit(document(ranking, contraction, options, environment), common);
    return;
  }
  emit(ranking_table(ranking, contraction, options.all), common);
  double total = 0;
  for (const contract::Forecast& forecast : ranking.forecasts.each) {
    total += forecast.seconds;
  }
  note(fmt::format("{} predicted from {} (shared {} times, {} known from earlier runs) in {}; executing each once would take {}",
                   counted(ranking.algorithms.size(), "algorithm"), counted(ranking.forecasts.benchmarks, "micro-benchmark"),
                   ranking.forecasts.shared, ranking.forecasts.known, format_seconds(ranking.cost), format_seconds(total)),
       common);
  if (!ranking.measured.empty()) {
    note(fmt::format("average error {}; the algorithm predicted to be the fastest takes {} longer than the fastest",
                     format_percent(mean_error(ranking)), format_percent(regret(ranking))),
         common);
  }
}

}  // namespace flopcast::cli
