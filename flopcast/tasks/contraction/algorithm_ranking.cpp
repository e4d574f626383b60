#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/contract/prediction/execution_times.hpp"
#include "flopcast/contract/prediction/timing_memory.hpp"
#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/measure/session.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/contraction/contraction_services.hpp"
#include "flopcast/workbench/on_demand_sampling.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {

using contract::Algorithm;
using contract::Contraction;

namespace {

constexpr const char* what_is_kept = "kernels that were timed often enough are kept";

/// Returns the algorithms whose calls BLAS's integers can express. Throws the first algorithm's error if there is none.
std::vector<Algorithm> callable(const std::vector<Algorithm>& algorithms, const Contraction& contraction, const RunContext& context) {
  std::vector<Algorithm> kept;
  std::exception_ptr refused;
  std::string why;
  for (const Algorithm& algorithm : algorithms) {
    try {
      contract::require_callable(algorithm, contraction);
      kept.push_back(algorithm);
    } catch (const Error& error) {
      if (error.code() != ExitCode::bad_input) {
        throw;
      }
      if (refused == nullptr) {
        refused = std::current_exception();
        why = error.what();
      }
    }
  }
  if (kept.empty() && refused != nullptr) {
    std::rethrow_exception(refused);
  }
  if (refused != nullptr) {
    context.note(fmt::format("skipped {}: {}", counted(algorithms.size() - kept.size(), "algorithm"), why));
  }
  return kept;
}

/// Keeps the algorithms of the highest BLAS level: "only gemm are real candidates" (Peise et al. 2015, section 1).
std::vector<Algorithm> of_highest_level(const std::vector<Algorithm>& algorithms, const RunContext& context) {
  int highest = 0;
  for (const Algorithm& algorithm : algorithms) {
    highest = std::max(highest, contract::blas_level(algorithm.kernel));
  }
  std::vector<Algorithm> kept;
  std::copy_if(algorithms.begin(), algorithms.end(), std::back_inserter(kept),
               [&](const Algorithm& algorithm) { return contract::blas_level(algorithm.kernel) == highest; });
  if (kept.size() < algorithms.size()) {
    context.note(fmt::format("{} of {} algorithms are ranked, those of BLAS level {}; --all-levels ranks the others too", kept.size(),
                             algorithms.size(), highest));
  }
  return kept;
}

/// Fills in measured times, their mean error, and the regret of the choice.
void compare_with_executions(AlgorithmRanking& ranking, std::span<const Seconds> measured, std::span<const std::size_t> order) {
  double sum = 0, best = std::nan("");
  int count = 0;
  for (std::size_t row = 0; row < order.size(); ++row) {
    const Seconds seconds = measured[order[row]];
    if (std::isnan(seconds)) {
      continue;
    }
    RankedAlgorithm& one = ranking.algorithms[row];
    one.measured_seconds = seconds;
    sum += std::abs(one.forecast.seconds / seconds - 1);
    best = std::fmin(best, seconds);
    ++count;
  }
  if (count > 0) {
    ranking.mean_error = sum / count;
  }
  if (ranking.algorithms.front().measured_seconds) {
    ranking.regret = *ranking.algorithms.front().measured_seconds / best - 1;
  }
}

}  // namespace

Contraction contraction_of(const AlgorithmsRequest& request) {
  return contract::make_contraction(sized(request), strides_of(request), request.precision, request.order);
}

std::vector<Algorithm> requested_algorithms(const Contraction& contraction, const RankAlgorithmsRequest& request,
                                            const RunContext& context) {
  const std::vector<Algorithm> algorithms =
      callable(contract::choose_algorithms(contraction, request.kernels, request.algorithm), contraction, context);
  return request.all || !request.kernels.empty() ? algorithms : of_highest_level(algorithms, context);
}

AlgorithmRanking rank_algorithms(const RankingServices& services, const Contraction& contraction, std::vector<Algorithm> algorithms,
                                 const RankAlgorithmsRequest& request, const RunContext& context) {
  contract::BenchmarkOptions options;
  options.stage = request.stage;
  options.prefetched_lines = request.prefetched_lines;
  options.repetitions = request.repetitions;
  options.threads = services.threads;
  options.find = services.find;
  const Seconds begin = services.now();
  contract::Forecasts forecasts;
  try {
    forecasts = contract::forecast(algorithms, contraction, services.environment, options, services.measure, services.memory,
                                   services.session_deviation());
  } catch (const Error&) {  // nothing can be predicted from a run that was cut short
    context.throw_if_cancelled(what_is_kept);
    throw;
  }
  context.throw_if_cancelled(what_is_kept);
  services.tell_noise(context);
  AlgorithmRanking ranking{contraction, services.environment, {request.stage, request.repetitions, request.prefetched_lines}, {}, {}};
  ranking.cost = {services.now() - begin, forecasts.benchmarks, forecasts.shared, forecasts.known};
  const double frequency = services.core_frequency();
  const std::vector<std::size_t> order = contract::ranking(forecasts.each);
  for (const std::size_t i : order) {
    const contract::AlgorithmForecast& forecast = forecasts.each[i];
    ranking.algorithms.push_back({algorithms[i], forecast, contract::flops(contraction) / forecast.seconds / frequency,
                                  contract::resident_bytes(algorithms[i], contraction),
                                  contract::ties(forecast, forecasts.each[order.front()])});
  }
  if (request.validate) {
    std::vector<Seconds> predicted;
    for (const contract::AlgorithmForecast& forecast : forecasts.each) {
      predicted.push_back(forecast.seconds);
    }
    const std::vector<Seconds> measured = services.execute(algorithms, predicted);
    context.throw_if_cancelled("nothing is kept");
    compare_with_executions(ranking, measured, order);
  }
  return ranking;
}

AlgorithmList list_algorithms(const AlgorithmsRequest& request) {
  const Contraction contraction = contraction_of(request);
  return {contraction, contract::choose_algorithms(contraction, request.kernels, request.algorithm)};
}

AlgorithmRanking rank_algorithms(const Workbench& bench, const RankAlgorithmsRequest& request, const RunContext& context) {
  const Contraction contraction = contraction_of(request);
  std::vector<Algorithm> algorithms = requested_algorithms(contraction, request, context);
  const machine::WallClock begins_to_calibrate(0);  // while libraries are opened
  const Environment& environment = bench.environment();
  model::Store& store = bench.store();
  measure::SessionOptions session_options;
  session_options.normalise = !request.validate;  // executions aren't normalised either
  session_options.stop.min_repetitions = session_options.stop.max_repetitions = request.repetitions;
  std::optional<measure::Session> session;  // looks at the machine for 10 ms: only if something is to be measured
  const Stopwatch watch;
  RankingServices services;
  services.environment = environment;
  services.threads = bench.choice().threads;
  services.find = [&bench](std::string_view routine) { return bench.libraries().find(routine); };
  const auto timed = [&](std::span<const measure::Experiment> experiments, const char* step) {
    if (!session) {
      session.emplace(bench.session(store, session_options));
    }
    return session->run(experiments, context.step(step));
  };
  services.measure = [&](std::span<const measure::Experiment> experiments) { return timed(experiments, "timing kernels"); };
  if (!request.fresh && !request.validate) {  // timings that are compared with executions have to meet the machine in the same state
    contract::BenchmarkOptions options;
    options.prefetched_lines = request.prefetched_lines;
    options.repetitions = request.repetitions;
    options.threads = services.threads;
    services.memory = contract::earlier_timings(store, options, environment, bench.reference_time(store));
  }
  services.core_frequency = [&] {
    if (session) {
      bench.keep_reference(store, *session);
    }
    return machine::core_frequency(machine::WallClock());
  };
  services.execute = [&](std::span<const Algorithm> all, std::span<const Seconds> predicted) {
    return contract::execution_times(all, contraction, services.find, predicted, services.threads,
                                     [&](std::span<const measure::Experiment> experiments) { return timed(experiments, "executing"); });
  };
  services.now = [&] { return watch.elapsed(); };
  services.tell_noise = [&, others = machine::OtherLoad()](const RunContext& to) {
    if (session) {
      tell_noise(others.cores().value_or(0), session->observe(), to);
    }
  };
  services.session_deviation = [&] { return known_run_deviation(store, environment).sessions; };
  return rank_algorithms(services, contraction, std::move(algorithms), request, context);
}

}  // namespace flopcast
