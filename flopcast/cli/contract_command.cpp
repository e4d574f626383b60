#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "flopcast/cli/command.hpp"
#include "flopcast/cli/interrupt.hpp"
#include "flopcast/cli/library_options.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/workbench.hpp"
#include "flopcast/contract/emit.hpp"
#include "flopcast/contract/forecast.hpp"
#include "flopcast/contract/generate.hpp"
#include "flopcast/contract/npy.hpp"
#include "flopcast/contract/plan.hpp"
#include "flopcast/contract/validate.hpp"
#include "flopcast/core/error.hpp"
#include "flopcast/core/units.hpp"
#include "flopcast/machine/clock.hpp"
#include "flopcast/report/file.hpp"
#include "flopcast/report/table.hpp"

namespace flopcast::cli {
namespace {

using contract::Algorithm;
using contract::Contraction;

constexpr const char* footer =
    R"(A contraction is abc=ai,ibc (C = A, B), 'C_abc := A_ai B_ibc', or 'ai,ibc->abc'; sizes are a=400 b=c=400 i=8.
Algorithms are called as in the paper: the loops from the outside in, ' for a copy in the loop before it, the kernel.

Examples:
  flopcast contract abc=ai,ibc a=b=c=64 i=8
  flopcast contract abc=ai,ibc a=b=c=64 i=8 --kernel gemv --validate
  flopcast contract abc=ija,jbic a=b=c=64 i=j=8 --run
  flopcast contract 'ija,jbic->abc' a=b=c=100 i=j=8 --list --kernel gemm --json
  flopcast contract 'C_abc := A_ija B_jbic' a=b=c=100 i=j=8 --emit c --algorithm "i'c-gemm")";

struct ContractOptions {
  std::string notation;
  std::vector<std::string> sizes;
  std::string precision = "d", order = "column";
  std::vector<std::string> strides;
  std::vector<std::string> kernels;
  bool list = false, all = false, validate = false, run = false;
  std::string emit, algorithm;
  std::vector<std::string> inputs;
  std::string result;
  std::string stage = "first", effort = "measure", time_budget = "2s";
  std::int64_t repetitions = 10;  // paper 002, section 3.1
  std::int64_t prefetched_lines = contract::BenchmarkOptions().prefetched_lines;
  LibraryOptions libraries;
};

contract::Order parse_order(const std::string& order) {
  return order == "row" ? contract::Order::row_major : contract::Order::column_major;
}

/// `A=1,400`: strides of one operand, in elements.
void parse_strides(const std::string& word, std::array<std::vector<std::int64_t>, 3>& strides) {
  const std::size_t equals = word.find('=');
  const std::size_t which = std::string("ABC").find(word.substr(0, equals));
  if (equals != 1 || which == std::string::npos) {
    throw bad_input("strides '{}' are not A=..., B=... or C=... with a stride per index, such as A=1,400", word);
  }
  for (std::size_t begin = equals + 1; begin <= word.size();) {
    const std::size_t comma = std::min(word.find(',', begin), word.size());
    strides[which].push_back(parse_integer(word.substr(begin, comma - begin), "stride of " + word.substr(0, 1), -(std::int64_t{1} << 40),
                                           std::int64_t{1} << 40));
    begin = comma + 1;
  }
}

Contraction requested_contraction(const ContractOptions& options) {
  const contract::Notation notation = contract::parse_notation(options.notation);
  const contract::Extents extents = contract::parse_extents(options.sizes, notation);
  std::array<std::vector<std::int64_t>, 3> strides;
  for (const std::string& word : options.strides) {
    parse_strides(word, strides);
  }
  return contract::make_contraction(notation, extents, static_cast<Precision>(options.precision[0]), parse_order(options.order), strides);
}

std::vector<contract::Kernel> requested_kernels(const ContractOptions& options) {
  std::vector<contract::Kernel> kernels;
  for (const contract::Kernel kernel :
       {contract::Kernel::dot, contract::Kernel::axpy, contract::Kernel::gemv, contract::Kernel::ger, contract::Kernel::gemm}) {
    for (const std::string& wanted : options.kernels) {
      if (wanted == contract::name(kernel)) {
        kernels.push_back(kernel);
      }
    }
  }
  return kernels;
}

nlohmann::json to_json(const Contraction& contraction) {
  nlohmann::json sizes = nlohmann::json::object();
  for (const auto& [index, extent] : contraction.extents) {
    sizes[std::string(1, index)] = extent;
  }
  nlohmann::json strides = nlohmann::json::object();
  for (const contract::Place place : contract::places) {
    strides[std::string(1, contract::letter(place))] = contraction.tensor(place).strides;
  }
  return {{"contraction", contract::to_string(contraction.notation())},
          {"sizes", std::move(sizes)},
          {"strides", std::move(strides)},
          {"precision", std::string(1, static_cast<char>(contraction.precision))},
          {"flops", contract::flops(contraction)}};
}

nlohmann::json to_json(const Algorithm& algorithm, const Contraction& contraction) {
  nlohmann::json copies = nlohmann::json::array();
  for (const contract::Copy& copy : algorithm.copies) {
    copies.push_back({{"operand", std::string(1, contract::letter(copy.operand))},
                      {"inside", copy.depth == 0 ? "" : std::string(1, algorithm.loops[copy.depth - 1])},
                      {"depth", copy.depth}});
  }
  return {{"name", algorithm.name()},
          {"kernel", contract::name(algorithm.kernel)},
          {"kernel_indices", algorithm.kernel_indices},
          {"loops", algorithm.loops},
          {"copies", std::move(copies)},
          {"kernel_calls", contract::kernel_calls(algorithm, contraction)}};
}

void show_list(const std::vector<Algorithm>& algorithms, const Contraction& contraction, const CommonOptions& common) {
  if (common.json) {
    nlohmann::json document = to_json(contraction);
    document["schema"] = "flopcast-contract-1";
    document["algorithms"] = nlohmann::json::array();
    for (const Algorithm& algorithm : algorithms) {
      document["algorithms"].push_back(to_json(algorithm, contraction));
    }
    emit(document, common);
    return;
  }
  report::Table table{{{"algorithm", report::Align::left},
                       {"kernel", report::Align::left},
                       {"along", report::Align::left},
                       {"copies", report::Align::left},
                       {"kernel calls"}},
                      {}};
  for (const Algorithm& algorithm : algorithms) {
    std::string copies;
    for (const contract::Copy& copy : algorithm.copies) {
      copies += contract::letter(copy.operand);
    }
    table.rows.push_back({algorithm.name(), std::string(contract::name(algorithm.kernel)), algorithm.kernel_indices, copies,
                          report::whole(static_cast<long long>(contract::kernel_calls(algorithm, contraction)))});
  }
  emit(table, common);
}

/// The algorithms that were asked for: one by name, or all of the kernels.
std::vector<Algorithm> requested_algorithms(const ContractOptions& options, const Contraction& contraction) {
  const std::vector<Algorithm> all = contract::generate(contraction, requested_kernels(options));
  if (options.algorithm.empty()) {
    return all;
  }
  return {contract::find_algorithm(options.algorithm, all)};
}

/// Unless told otherwise only the algorithms of the highest BLAS level are worth measuring: "only gemm are real candidates" (paper 002, section 1).
std::vector<Algorithm> candidates(std::vector<Algorithm> algorithms, const ContractOptions& options, const CommonOptions& common) {
  if (options.all || !options.kernels.empty() || algorithms.empty()) {
    return algorithms;
  }
  const contract::Kernel highest = std::max_element(algorithms.begin(), algorithms.end(), [](const Algorithm& x, const Algorithm& y) {
                                     return contract::blas_level(x.kernel) < contract::blas_level(y.kernel);
                                   })->kernel;
  std::vector<Algorithm> kept;
  std::copy_if(algorithms.begin(), algorithms.end(), std::back_inserter(kept),
               [&](const Algorithm& algorithm) { return contract::blas_level(algorithm.kernel) == contract::blas_level(highest); });
  if (kept.size() < algorithms.size()) {
    note(fmt::format("{} of {} algorithms, those of BLAS level {}; --all ranks the others too", kept.size(), algorithms.size(),
                     contract::blas_level(highest)),
         common);
  }
  return kept;
}

/// Predictions with everything that is shown beside them.
struct Ranking {
  std::vector<Algorithm> algorithms;
  contract::Forecasts forecasts;
  std::vector<std::size_t> order;
  std::vector<Seconds> measured;  ///< empty without --validate
  Seconds cost = 0;
  double frequency = 0;
};

double elapsed_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Ranking make_ranking(const ContractOptions& options, const Contraction& contraction, std::vector<Algorithm> algorithms,
                     const Workbench& bench, const CommonOptions& common) {
  Ranking ranking;
  ranking.algorithms = std::move(algorithms);
  measure::SessionOptions session_options;
  session_options.normalise = !options.validate;  // executions aren't normalised either
  session_options.stop.minimum_repetitions = session_options.stop.maximum_repetitions = options.repetitions;
  measure::Session session(bench.libraries(), bench.environment(), session_options);
  contract::BenchmarkOptions benchmark_options;
  benchmark_options.stage = contract::parse_stage(options.stage);
  benchmark_options.prefetched_lines = options.prefetched_lines;
  benchmark_options.threads = options.libraries.threads;
  const auto begin = std::chrono::steady_clock::now();
  ranking.forecasts = contract::forecast(
      ranking.algorithms, contraction, bench.environment(), benchmark_options, [&](std::span<const measure::Experiment> experiments) {
        std::vector<measure::Timings> timings = session.run(experiments, progress("timing kernels", common));
        throw_if_interrupted("nothing is kept");
        return timings;
      });
  ranking.cost = elapsed_since(begin);
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
        progress("executing", common));
    throw_if_interrupted("nothing is kept");
  }
  return ranking;
}

/// Mean of |predicted - measured| / measured over what was executed (the error of paper 002's figure 1); NaN if nothing was.
double mean_error(const Ranking& ranking) {
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
double regret(const Ranking& ranking) {
  double best = std::nan("");
  for (const Seconds one : ranking.measured) {
    best = std::fmin(best, one);
  }
  return ranking.measured.at(ranking.order.front()) / best - 1;
}

nlohmann::json to_json(const Ranking& ranking, const Contraction& contraction, const ContractOptions& options,
                       const Environment& environment) {
  nlohmann::json document = to_json(contraction);
  document["schema"] = "flopcast-contract-1";
  document["environment"] = environment;
  document["options"] = {{"stage", options.stage}, {"repetitions", options.repetitions}, {"prefetched_lines", options.prefetched_lines}};
  document["algorithms"] = nlohmann::json::array();
  for (const std::size_t i : ranking.order) {
    const contract::Forecast& forecast = ranking.forecasts.each[i];
    nlohmann::json json = to_json(ranking.algorithms[i], contraction);
    json["seconds"] = forecast.seconds;
    json["interval_95"] = {forecast.interval.low, forecast.interval.high};
    json["tie"] = contract::ties(forecast, ranking.forecasts.each[ranking.order.front()]);
    for (const contract::Part& part : forecast.parts) {
      json["parts"].push_back({{"what", part.what}, {"calls", part.calls}, {"seconds", part.seconds}});
    }
    if (!ranking.measured.empty() && !std::isnan(ranking.measured[i])) {
      json["measured_seconds"] = ranking.measured[i];
    }
    document["algorithms"].push_back(std::move(json));
  }
  document["cost"] = {{"seconds", ranking.cost}, {"benchmarks", ranking.forecasts.benchmarks}, {"shared", ranking.forecasts.shared}};
  if (!ranking.measured.empty()) {
    document["mean_error"] = mean_error(ranking);
    document["regret"] = regret(ranking);
  }
  return document;
}

std::string percent(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

report::Table ranking_table(const Ranking& ranking, const Contraction& contraction, bool all) {
  constexpr std::size_t most_rows = 12;
  report::Table table{{{"algorithm", report::Align::left},
                       {"predicted", report::Align::right, "predicted_seconds"},
                       {"95 %", report::Align::left, "interval_95"},
                       {"flops/cycle"},
                       {"tie", report::Align::left}},
                      {}};
  if (!ranking.measured.empty()) {
    table.columns.push_back({"measured", report::Align::right, "measured_seconds"});
    table.columns.push_back({"error"});
  }
  const std::size_t rows = all || !ranking.measured.empty() ? ranking.order.size() : std::min(most_rows, ranking.order.size());
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t i = ranking.order[row];
    const contract::Forecast& forecast = ranking.forecasts.each[i];
    const double rate = contract::flops(contraction) / forecast.seconds / ranking.frequency;
    std::vector<report::Cell> cells = {
        ranking.algorithms[i].name(), report::Cell(forecast.seconds, format_seconds(forecast.seconds)),
        fmt::format("{} .. {}", format_seconds(forecast.interval.low), format_seconds(forecast.interval.high)),
        report::Cell(rate, fmt::format("{:.2f}", rate)),
        row == 0 || contract::ties(forecast, ranking.forecasts.each[ranking.order.front()]) ? "*" : ""};
    if (!ranking.measured.empty()) {
      const Seconds measured = ranking.measured[i];
      const double error = forecast.seconds / measured - 1;
      cells.push_back(std::isnan(measured) ? report::Cell("") : report::Cell(measured, format_seconds(measured)));
      cells.push_back(std::isnan(measured) ? report::Cell("") : report::Cell(error, percent(error)));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

void show_ranking(const Ranking& ranking, const Contraction& contraction, const ContractOptions& options, const Environment& environment,
                  const CommonOptions& common) {
  if (common.json) {
    emit(to_json(ranking, contraction, options, environment), common);
    return;
  }
  emit(ranking_table(ranking, contraction, options.all), common);
  double total = 0;
  for (const contract::Forecast& forecast : ranking.forecasts.each) {
    total += forecast.seconds;
  }
  note(fmt::format("{} algorithms predicted from {} micro-benchmarks (shared {} times) in {}; executing each once would take {}",
                   ranking.algorithms.size(), ranking.forecasts.benchmarks, ranking.forecasts.shared, format_seconds(ranking.cost),
                   format_seconds(total)),
       common);
  if (!ranking.measured.empty()) {
    note(fmt::format("average error {}; the algorithm predicted to be the fastest takes {} longer than the fastest",
                     percent(mean_error(ranking)), percent(regret(ranking))),
         common);
  }
}

contract::PlanOptions plan_options(const ContractOptions& options, model::Store& store) {
  contract::PlanOptions plan_options;
  plan_options.effort = options.effort == "measure" ? contract::Effort::measure : contract::Effort::estimate;
  plan_options.threads = options.libraries.threads;
  plan_options.time_budget = parse_duration(options.time_budget, "--time-budget");
  plan_options.wisdom = &store;
  return plan_options;
}

/// The planner's threads share the work around a serial BLAS.
LibraryOptions serial(LibraryOptions libraries) {
  libraries.threads = 1;
  return libraries;
}

contract::Machine machine_of(const Workbench& bench) {
  return {[&bench](std::string_view routine) { return bench.libraries().find(routine); }, bench.environment()};
}

/// Strides of a dense array of this shape.
std::vector<std::int64_t> strides_of(const contract::Array& array) {
  std::vector<std::int64_t> strides(array.shape.size());
  std::int64_t stride = 1;
  for (std::size_t step = 0; step < strides.size(); ++step) {
    const std::size_t i = array.order == contract::Order::column_major ? step : strides.size() - 1 - step;
    strides[i] = stride;
    stride *= std::max<std::int64_t>(1, array.shape[i]);
  }
  return strides;
}

/// Sizes of the indices from the arrays' shapes.
contract::Extents extents_of(const contract::Notation& notation, const std::array<contract::Array, 2>& arrays,
                             const std::vector<std::string>& files) {
  contract::Extents extents;
  const std::array<std::string, 2> indices = {notation.a, notation.b};
  for (std::size_t t = 0; t < arrays.size(); ++t) {
    if (arrays[t].shape.size() != indices[t].size()) {
      throw bad_input("{} has {} dimensions, but {} of {} has {} indices", files[t], arrays[t].shape.size(), "AB"[t],
                      contract::to_string(notation), indices[t].size());
    }
    for (std::size_t i = 0; i < indices[t].size(); ++i) {
      const auto [known, is_new] = extents.emplace(indices[t][i], arrays[t].shape[i]);
      if (!is_new && known->second != arrays[t].shape[i]) {
        throw bad_input("index {} is {} long in {}, but {} in {}", indices[t][i], arrays[t].shape[i], files[t], known->second, files[0]);
      }
    }
  }
  return extents;
}

/// Contracts two .npy files into a third, which is written as a whole or not at all.
void contract_files(const ContractOptions& options, const CommonOptions& common) {
  if (options.inputs.size() != 2 || options.result.empty()) {
    throw usage_error("contracting files takes --in A.npy --in B.npy --out C.npy");
  }
  if (!options.sizes.empty()) {
    throw usage_error("sizes come from the files of --in; leave {} out", options.sizes.front());
  }
  report::require_writable(options.result);
  const contract::Notation notation = contract::parse_notation(options.notation);
  const std::array<contract::Array, 2> arrays = {contract::parse_npy(report::read_file(options.inputs[0]), options.inputs[0]),
                                                 contract::parse_npy(report::read_file(options.inputs[1]), options.inputs[1])};
  if (arrays[0].precision != arrays[1].precision) {
    throw bad_input("{} and {} have different types of elements; convert one of them", options.inputs[0], options.inputs[1]);
  }
  const Contraction contraction =
      contract::make_contraction(notation, extents_of(notation, arrays, options.inputs), arrays[0].precision, contract::Order::row_major,
                                 {strides_of(arrays[0]), strides_of(arrays[1]), {}});
  const Workbench bench(serial(options.libraries), common);
  model::Store store = open_store(common);
  const contract::Plan plan = contract::plan(contraction, machine_of(bench), plan_options(options, store));
  note(plan.explain(), common);
  contract::Array result{arrays[0].precision, contract::Order::row_major, {}, {}};
  for (const char index : notation.c) {
    result.shape.push_back(contraction.extent(index));
  }
  result.elements.resize(static_cast<std::size_t>(contraction.elements(contract::Place::c) * element_bytes(result.precision)));
  plan.execute(arrays[0].elements.data(), arrays[1].elements.data(), result.elements.data());
  throw_if_interrupted("nothing was written");
  report::write_file(options.result, contract::format_npy(result));
}

/// What executing a plan gave.
struct Run {
  std::vector<Seconds> times;
  Seconds planning = 0;
};

void show_run(const contract::Plan& plan, const Run& run, const CommonOptions& common) {
  const Contraction& contraction = plan.contraction();
  const Seconds seconds = median(run.times);
  const double rate = contract::flops(contraction) / seconds;
  if (common.json) {
    nlohmann::json document = to_json(contraction);
    document["schema"] = "flopcast-contract-run-1";
    document["plan"] = {{"explanation", plan.explain()}, {"seconds", plan.seconds()}, {"workspace_bytes", plan.workspace_bytes()}};
    document["planning_seconds"] = run.planning;
    document["times"] = run.times;
    document["flops_per_second"] = rate;
    emit(document, common);
    return;
  }
  if (!common.csv) {
    note(plan.explain(), common);
  }
  emit(report::Table{{{"contraction", report::Align::left},
                      {"planned in", report::Align::right, "planning_seconds"},
                      {"expected", report::Align::right, "expected_seconds"},
                      {"takes", report::Align::right, "seconds"},
                      {"rate", report::Align::right, "flops_per_second"}},
                     {{contract::to_string(contraction.notation()), report::Cell(run.planning, format_seconds(run.planning)),
                       report::Cell(plan.seconds(), format_seconds(plan.seconds())), report::Cell(seconds, format_seconds(seconds)),
                       report::Cell(rate, format_flop_rate(rate))}}},
       common);
}

/// Plans, and executes on random numbers until a second has gone by, at least three times. Threads are the contraction's own; the BLAS is serial.
void run_plan(const ContractOptions& options, const Contraction& contraction, const CommonOptions& common) {
  constexpr std::size_t fewest = 3, most = 100;
  constexpr Seconds long_enough = 1;
  const Workbench bench(serial(options.libraries), common);
  model::Store store = open_store(common);
  Run run;
  const auto begin = std::chrono::steady_clock::now();
  const contract::Plan plan = contract::plan(contraction, machine_of(bench), plan_options(options, store));
  run.planning = elapsed_since(begin);
  contract::Workspace tensors(contraction);
  const auto started = std::chrono::steady_clock::now();
  while (run.times.size() < fewest || (run.times.size() < most && elapsed_since(started) < long_enough)) {
    throw_if_interrupted("plans that were measured are kept in the store");
    const auto before = std::chrono::steady_clock::now();
    plan.execute(tensors.tensor(contract::Place::a), tensors.tensor(contract::Place::b), tensors.tensor(contract::Place::c));
    run.times.push_back(elapsed_since(before));
  }
  show_run(plan, run, common);
}

void check(const ContractOptions& options) {
  if (options.list + !options.emit.empty() + options.validate + options.run > 1) {
    throw usage_error("--list, --emit, --validate and --run exclude one another");
  }
  contract::parse_stage(options.stage);
}

void run_contract(const ContractOptions& options, const CommonOptions& common) {
  check(options);
  if (!options.inputs.empty() || !options.result.empty()) {
    contract_files(options, common);
    return;
  }
  const Contraction contraction = requested_contraction(options);
  if (options.run) {
    run_plan(options, contraction, common);
    return;
  }
  const std::vector<Algorithm> algorithms = requested_algorithms(options, contraction);
  if (!options.emit.empty()) {
    const contract::Language language = options.emit == "c" ? contract::Language::c : contract::Language::cpp;
    emit(contract::emit(algorithms, contraction, language), common);
    return;
  }
  if (options.list) {
    show_list(algorithms, contraction, common);
    return;
  }
  const std::vector<Algorithm> chosen = candidates(algorithms, options, common);
  if (chosen.empty()) {
    throw bad_input("{} has no algorithm of {}", contract::to_string(contraction.notation()), fmt::join(options.kernels, ", "));
  }
  const Workbench bench(options.libraries, common);
  show_ranking(make_ranking(options, contraction, chosen, bench, common), contraction, options, bench.environment(), common);
}

}  // namespace

void add_contract_command(CLI::App& app, CommonOptions& common) {
  auto options = std::make_shared<ContractOptions>();
  CLI::App* command = app.add_subcommand("contract", "Rank the BLAS-based algorithms of a tensor contraction without running them; run it");
  command->add_option("contraction", options->notation, "Such as abc=ai,ibc (C = A, B)")->required();
  command->add_option("sizes", options->sizes, "Size of every index, such as a=b=c=400 i=8")->type_name("INDEX=SIZE ...");
  command->add_flag("--list", options->list, "List the algorithms; nothing is measured");
  command->add_option("--emit", options->emit, "Write the algorithms as functions that call CBLAS: c or c++")
      ->check(CLI::IsMember({"c", "c++"}));
  command->add_option("--algorithm", options->algorithm, "Only the one of this name, such as c-gemm")->type_name("NAME");
  command->add_option("--kernel", options->kernels, "Only algorithms of this kernel; may be repeated")
      ->check(CLI::IsMember({"dot", "axpy", "gemv", "ger", "gemm"}))
      ->take_all();
  command->add_option("--precision", options->precision, "s, d, c or z")->check(CLI::IsMember({"s", "d", "c", "z"}))->capture_default_str();
  command->add_option("--order", options->order, "How tensors lie in memory: column or row (which index is contiguous: first or last)")
      ->check(CLI::IsMember({"column", "row"}))
      ->capture_default_str();
  command->add_option("--strides", options->strides, "Strides of an operand in elements, one per index, such as A=1,512; may be repeated")
      ->type_name("OPERAND=STRIDES")
      ->take_all();
  command->add_flag("--all", options->all, "Rank algorithms of all kernels, and show all of them");
  command->add_flag("--run", options->run, "Plan it with the planner (tiles, packing, streaming) and run it on random numbers");
  command->add_option("--in", options->inputs, "Contract these .npy files, A's then B's, in place of random numbers; twice")
      ->type_name("FILE")
      ->take_all();
  command->add_option("--out", options->result, "Write C to this .npy file")->type_name("FILE");
  command->add_option("--effort", options->effort, "Of --run's planner: estimate, or measure the best few candidates")
      ->check(CLI::IsMember({"estimate", "measure"}))
      ->capture_default_str();
  command->add_option("--time-budget", options->time_budget, "For measuring candidates")->type_name("DURATION")->capture_default_str();
  command->add_flag("--validate", options->validate, "Execute the algorithms too, on random numbers, and compare");
  command
      ->add_option("--stage", options->stage,
                   "What micro-benchmarks recreate: repeated (nothing), distance (how long ago operands were used), prefetching, failures "
                   "(of prefetching), first (iterations of loops); each with those before it")
      ->check(CLI::IsMember({"repeated", "distance", "prefetching", "failures", "first"}))
      ->capture_default_str();
  command
      ->add_option("--prefetched-lines", options->prefetched_lines, "Cache lines of an operand that prefetching has brought (the paper: 1)")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--repetitions", options->repetitions, "Of each micro-benchmark")->check(CLI::Range(1, 1000))->capture_default_str();
  add_library_options(*command, options->libraries);
  command->footer(footer);
  command->callback([options, &common] { run_contract(*options, common); });
}

}  // namespace flopcast::cli
