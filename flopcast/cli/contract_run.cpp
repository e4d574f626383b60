#include "flopcast/cli/contract_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "flopcast/cli/contract_document.hpp"
#include "flopcast/cli/interrupt.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/contract/algorithms/validate.hpp"
#include "flopcast/contract/notation/npy.hpp"
#include "flopcast/contract/planner/plan.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::cli {

using contract::Contraction;

namespace {

enum class TileOption : std::uint8_t { rows, streams, loops, kept };

/// What stands behind the kernel: rows in another order than C's, `interleaved`, `interleavedA` or `A`; `streamC`; loops over tiles in another order
/// than `nkm`; operands whose tiles are kept, such as `keepAC`. Which of these it was; nothing if none.
std::optional<TileOption> parse_tile_option(std::string_view text, contract::Tiling& tiling) {
  constexpr std::string_view keep = "keep";
  if (const std::optional<contract::RowOrder> rows = contract::row_order(text)) {
    tiling.rows = *rows;
    return TileOption::rows;
  }
  if (text == "streamC") {
    tiling.stream_c = true;
    return TileOption::streams;
  }
  if (const std::optional<contract::LoopOrder> order = contract::loop_order(text)) {
    tiling.order = *order;
    return TileOption::loops;
  }
  const std::string_view kept = text.starts_with(keep) ? text.substr(keep.size()) : std::string_view();
  contract::keep_operands(tiling, kept);
  return kept.empty() || kept != contract::kept_operands(tiling) ? std::nullopt : std::optional(TileOption::kept);
}

/// All of them, each kind once; whether there was nothing else.
bool parse_tile_options(std::span<const std::string_view> texts, contract::Tiling& tiling) {
  std::set<TileOption> seen;
  return std::all_of(texts.begin(), texts.end(), [&](std::string_view text) {
    const std::optional<TileOption> option = parse_tile_option(text, tiling);
    return option && seen.insert(*option).second;
  });
}

/// `96x512x64`, with `:panels` or `:streaming` behind it, and one of each of the options above; or `whole` or `batch`.
contract::Tiling parse_tiles(const std::string& text, int threads) {
  constexpr std::int64_t longest = std::numeric_limits<std::int32_t>::max();
  if (text == "whole") {
    return {longest, longest, longest, contract::TileKernel::gemm, threads};
  }
  if (text == "batch") {
    return {longest, longest, longest, contract::TileKernel::batch, threads};
  }
  const std::vector<std::string_view> parts = split(text, ':');
  const std::vector<std::string_view> sides = split(parts.front(), 'x');
  const std::optional<contract::TileKernel> kernel = parts.size() > 1 ? contract::tile_kernel(parts[1]) : contract::TileKernel::gemm;
  contract::Tiling tiling;
  if (sides.size() != 3 || !kernel || *kernel == contract::TileKernel::batch ||
      !parse_tile_options(std::span(parts).subspan(std::min<std::size_t>(parts.size(), 2)), tiling)) {
    throw bad_input(
        "--tiles '{}' is neither whole nor batch nor tiles of M, N and K such as 96x512x64, 96x512x64:panels, "
        "96x512x64:panels:interleaved, "
        "96x512x64:panels:streamC, 96x512x64:gemm:A, 96x512x64:gemm:nmk, 96x512x64:panels:mkn:keepB or 96x512x8:streaming",
        text);
  }
  tiling.m = parse_integer(sides[0], "--tiles: M", 1, longest);
  tiling.n = parse_integer(sides[1], "--tiles: N", 1, longest);
  tiling.k = parse_integer(sides[2], "--tiles: K", 1, longest);
  tiling.kernel = *kernel;
  tiling.threads = threads;
  return tiling;
}

/// Tiles whose rows can't be had in the order that was asked for are no tiles of this contraction.
void require_row_order(const contract::Tiling& tiling, const Contraction& contraction) {
  if (tiling.rows == contract::RowOrder::as_c) {
    return;
  }
  const contract::Folded folded = contract::fold(contraction);
  if (&contract::rows_in(tiling.rows, folded) == &folded.m) {
    throw bad_input("--tiles: {} has no other order of its rows, as A and C aren't contiguous along different indices of M",
                    contract::to_string(contraction.notation()));
  }
}

contract::PlanOptions plan_options(const ContractOptions& options, const Contraction& contraction, model::Store& store) {
  contract::PlanOptions plan_options;
  plan_options.effort = options.effort == "measure"      ? contract::Effort::measure
                        : options.effort == "microbench" ? contract::Effort::microbench
                                                         : contract::Effort::estimate;
  plan_options.threads = options.libraries.threads;
  plan_options.time_budget = parse_duration(options.time_budget, "--time-budget");
  plan_options.wisdom = &store;
  plan_options.fresh = options.fresh;
  if (!options.tiles.empty()) {
    plan_options.tiles = parse_tiles(options.tiles, options.libraries.threads);
    require_row_order(*plan_options.tiles, contraction);
  }
  plan_options.go_on = [] { return !interrupted(); };
  return plan_options;
}

/// The planner's threads share the work around a BLAS on one thread, which must stand being called by several.
machine::LibraryChoice serial(machine::LibraryChoice libraries) {
  if (libraries.blas.empty()) {
    libraries.blas = machine::default_blas(libraries.threads);
  }
  libraries.threads = 1;
  return libraries;
}

contract::Machine machine_of(const Workbench& bench, int threads, model::Store& store, bool fresh) {
  const contract::FindRoutine find = [&bench](std::string_view routine) { return bench.libraries().find(routine); };
  contract::TileRates rates = contract::tile_rates_in(store, bench.environment().fingerprint, find, fresh);
  if (threads > 1) {
    rates.bandwidth_shares = machine::bandwidth_shares_if_measurable(machine::detect_topology());
  }
  return {find, bench.environment(), std::move(rates)};
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

/// What executing a plan gave.
struct Run {
  std::vector<Seconds> times;
  Seconds planning = 0;
};

nlohmann::json considered(const contract::Plan& plan) {
  constexpr std::size_t most = 16;
  constexpr std::array<const char*, 3> bases = {"model", "micro-benchmark", "execution"};
  nlohmann::json all = nlohmann::json::array();
  for (const contract::Candidate& candidate : plan.considered()) {
    if (all.size() < most) {
      all.push_back({{"tiles", contract::to_string(candidate.tiling)},
                     {"seconds", candidate.seconds},
                     {"basis", bases[static_cast<std::size_t>(candidate.basis)]}});
    }
  }
  return all;
}

/// Says where given tiles ask for buffers that nothing would go through a second time, or for C to be streamed where it can't be.
void note_what_is_dropped(const contract::Plan& plan, const contract::PlanOptions& options, const CommonOptions& common) {
  if (options.tiles) {
    const contract::Tiling& taken = plan.considered().front().tiling;
    const std::string kept = contract::kept_operands(taken);
    if (options.tiles->stream_c && !taken.stream_c) {
      note("C isn't streamed: that takes the panel kernel with vectors as long as lines (AVX-512), and one tile of K", common);
    }
    for (const char operand : contract::kept_operands(*options.tiles)) {
      if (kept.find(operand) == std::string::npos) {
        note(fmt::format("tiles of {} aren't kept: they pass through no buffer, or no loop comes back to them", operand), common);
      }
    }
  }
}

void show_run(const contract::Plan& plan, const Run& run, const CommonOptions& common) {
  const Contraction& contraction = plan.contraction();
  const Seconds seconds = median(run.times);
  const double rate = contract::flops(contraction) / seconds;
  if (common.json) {
    nlohmann::json document = to_json(contraction);
    document["schema"] = "flopcast-contract-run-1";
    document["plan"] = {{"explanation", plan.explain()}, {"seconds", plan.seconds()}, {"workspace_bytes", plan.workspace_bytes()}};
    document["plan"]["considered"] = considered(plan);
    const contract::Tiling& chosen = plan.considered().front().tiling;
    document["plan"]["loops"] = contract::name_of(chosen.order);
    document["plan"]["kept"] = contract::kept_operands(chosen);
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

/// Counts the real numbers of an array that are NaN or infinite, and those that are denormal.
template <class Real>
std::pair<std::size_t, std::size_t> count_odd(std::span<const std::byte> elements) {
  std::size_t not_finite = 0, denormal = 0;
  for (std::size_t at = 0; at + sizeof(Real) <= elements.size(); at += sizeof(Real)) {
    Real value = 0;
    std::memcpy(&value, elements.data() + at, sizeof value);
    const int kind = std::fpclassify(value);
    not_finite += kind == FP_NAN || kind == FP_INFINITE ? 1 : 0;
    denormal += kind == FP_SUBNORMAL ? 1 : 0;
  }
  return {not_finite, denormal};
}

/// Tells of numbers that make a time say little of other numbers.
void note_odd_numbers(const contract::Array& array, const std::string& file, const CommonOptions& common) {
  const auto [not_finite, denormal] =
      real_bytes(array.precision) == 4 ? count_odd<float>(array.elements) : count_odd<double>(array.elements);
  if (not_finite > 0) {
    note(fmt::format("{} holds NaN or Inf ({}): so does every element of C that they are part of", file, not_finite), common);
  }
  if (denormal > 0) {
    note(fmt::format("{} holds denormal numbers ({}): many CPUs take far longer for them, whatever the algorithm is", file, denormal),
         common);
  }
}

}  // namespace

void contract_files(const ContractOptions& options, const CommonOptions& common) {
  if (options.inputs.size() != 2 || options.result.empty()) {
    throw usage_error("contracting files takes --in A.npy --in B.npy --out C.npy");
  }
  if (!options.sizes.empty()) {
    throw usage_error("sizes come from the files of --in; leave {} out", options.sizes.front());
  }
  for (const std::string& input : options.inputs) {
    if (std::error_code none; std::filesystem::equivalent(input, options.result, none)) {
      throw bad_input("--out {} is the operand {} itself; the result needs a file of its own", options.result, input);
    }
  }
  constexpr const char* standard_output = "-";
  if (std::error_code none; options.result == common.output || std::filesystem::equivalent(options.result, common.output, none)) {
    throw usage_error("--out and --output both write to {}; give one of them another file",
                      options.result == standard_output ? "standard output" : options.result);
  }
  require_writable(options.result);
  const contract::Notation notation = contract::parse_notation(options.notation);
  const std::array<contract::Array, 2> arrays = {contract::parse_npy(read_file(options.inputs[0]), options.inputs[0]),
                                                 contract::parse_npy(read_file(options.inputs[1]), options.inputs[1])};
  if (arrays[0].precision != arrays[1].precision) {
    throw bad_input("{} and {} have different types of elements; convert one of them", options.inputs[0], options.inputs[1]);
  }
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    note_odd_numbers(arrays[i], options.inputs[i], common);
  }
  const Contraction contraction =
      contract::make_contraction(notation, extents_of(notation, arrays, options.inputs), arrays[0].precision, contract::Order::row_major,
                                 {strides_of(arrays[0]), strides_of(arrays[1]), {}});
  const Workbench bench = Workbench::opened(serial(options.libraries), run_context(common));
  model::Store store = open_store(run_context(common));
  const contract::Machine machine = machine_of(bench, options.libraries.threads, store, options.fresh);
  Run run;
  const contract::PlanOptions how = plan_options(options, contraction, store);
  const Stopwatch planning;
  const contract::Plan plan = contract::plan(contraction, machine, how);
  throw_if_interrupted("of an unfinished choice nothing is kept");
  run.planning = planning.elapsed();
  note_what_is_dropped(plan, how, common);
  contract::Array result{arrays[0].precision, contract::Order::row_major, {}, {}};
  for (const char index : notation.c) {
    result.shape.push_back(contraction.extent(index));
  }
  result.elements.resize(static_cast<std::size_t>(contraction.elements(contract::Operand::c) * element_bytes(result.precision)));
  const void* const a = arrays[0].elements.data();
  std::error_code none;
  const bool is_one_tensor = std::filesystem::equivalent(options.inputs[0], options.inputs[1], none);  // C may be symmetric
  if (is_one_tensor) {
    note(fmt::format("{} is A and B: they are taken for one tensor", options.inputs[0]), common);
  }
  const Stopwatch watch;
  plan.execute(a, is_one_tensor ? a : arrays[1].elements.data(), result.elements.data());
  run.times.push_back(watch.elapsed());
  throw_if_interrupted("nothing was written");
  write_file(options.result, contract::format_npy(result));
  show_run(plan, run, common);
}

void run_plan(const ContractOptions& options, const Contraction& contraction, const CommonOptions& common) {
  constexpr std::size_t fewest = 3, most = 100;
  constexpr Seconds long_enough = 1;
  contract::require_memory(contraction);  // before planning, which lists every offset
  const Workbench bench = Workbench::opened(serial(options.libraries), run_context(common));
  model::Store store = open_store(run_context(common));
  Run run;
  const contract::Machine machine = machine_of(bench, options.libraries.threads, store, options.fresh);
  const contract::PlanOptions how = plan_options(options, contraction, store);
  const Stopwatch planning;
  const contract::Plan plan = contract::plan(contraction, machine, how);
  throw_if_interrupted("of an unfinished choice nothing is kept");
  run.planning = planning.elapsed();
  note_what_is_dropped(plan, how, common);
  contract::Workspace tensors(contraction);
  const Stopwatch watch;
  while (run.times.size() < fewest || (run.times.size() < most && watch.elapsed() < long_enough)) {
    throw_if_interrupted("plans that were measured are kept in the store");
    const Stopwatch one;
    plan.execute(tensors.tensor(contract::Operand::a), tensors.tensor(contract::Operand::b), tensors.tensor(contract::Operand::c));
    run.times.push_back(one.elapsed());
  }
  show_run(plan, run, common);
}

}  // namespace flopcast::cli
