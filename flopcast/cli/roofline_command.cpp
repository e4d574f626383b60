#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "flopcast/cli/command.hpp"
#include "flopcast/cli/interrupt.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/roofline_compare.hpp"
#include "flopcast/cli/roofline_options.hpp"
#include "flopcast/cli/roofline_study.hpp"
#include "flopcast/cli/roofline_table.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/kernel/call_list.hpp"
#include "flopcast/machine/caches/bandwidth_kernels.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/measure/memory.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/report/figure.hpp"
#include "flopcast/roofline/study.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/roofline/roofline_figure.hpp"
#include "flopcast/tasks/roofline/roofline_measure.hpp"
#include "flopcast/tasks/roofline/roofline_points.hpp"
#include "flopcast/tasks/roofline/roofline_request.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer = R"(Spaces of gemm:
  brief    shapes of 'reduced' that do at most 1.1 Gflop (default)
  reduced  96 shapes: m 500 to 4000, n 512 to 4096, k 64 to 2048
  full     539 shapes: m and n 64 to 4096, k 2 to 2048
  own      --m, --n and --k

Examples:
  flopcast roofline
  flopcast roofline --quick --streams triad --time-budget 1s --json --output roofline.json
  flopcast roofline --replot roofline.json --figure roofline.svg
  flopcast roofline --compare roofline.json roofline.json
  flopcast roofline --quick --streams triad --no-gemm --point 'dgemv m=2000 n=2000')";

/// The picture comes last: if it can't be drawn, what was measured is shown all the same.
void show(const RooflineOptions& options, const roofline::Roofline& found, const CommonOptions& common) {
  if (common.json) {
    emit(nlohmann::json(found), common);
  } else if (common.csv) {
    emit(roofline_table(found), common);
  } else {
    emit(roofline_text(found, common), common);
  }
  if (!options.figure.empty()) {
    report::draw(roofline_figure(found), options.figure);
    note("figure: " + options.figure, common);
  }
}

void show_plan(const RooflinePlan& plan, const CommonOptions& common) {
  report::Table table;
  table.columns = {{"what", report::Align::left}, {"how", report::Align::left}};
  for (const RooflinePlan::Step& step : plan.steps) {
    table.rows.push_back({step.what, step.how});
  }
  emit(table, common);
  for (const std::string& line : plan.findings) {
    note(line, common);
  }
}

/// Everything that can be told wrong before anything is measured.
void check(const RooflineOptions& options) {
  require_distinct(options.blas, "--blas");
  require_distinct(options.gemm, "--gemm");
  require_distinct(options.streams, "--streams");
  require_memory(requested_space(options));
  roofline::require_technique(options.search);
  if (roofline::searches_in_one_process(options.search) && options.search != roofline::search_name(options.search)) {
    throw usage_error("--search {}: how long that may take is set by --time-budget", options.search);
  }
  if (requested_order(options) && roofline::searches_in_one_process(options.search)) {
    throw usage_error("--order is for the published techniques; a search by {} takes the shapes in random order", options.search);
  }
  std::map<std::filesystem::path, std::string> files;
  for (const std::string& library : options.blas) {
    const auto [same, is_new] = files.try_emplace(machine::locate(library, machine::Role::blas), library);
    if (!is_new) {
      throw usage_error("--blas: '{}' and '{}' are the same library", same->second, library);
    }
    for (const std::string& routine : options.no_gemm ? std::vector<std::string>{{}} : options.gemm) {
      machine::locate_usable(library, machine::Role::blas, routine);
    }
  }
  require_points(options);
  for (const std::string& file : options.programs) {
    const interpose::ProgramTraceFile readable(file);
  }
  parse_duration(options.time_budget, "--time-budget");
  for (const std::string& stream : options.streams) {
    machine::parse_stream(stream);
  }
  if (const auto& streams = options.streams;
      !options.figure.empty() && !streams.empty() && std::find(streams.begin(), streams.end(), "triad") == streams.end()) {
    throw usage_error("--figure draws the triad's bandwidths, which --streams leaves out");
  }
}

void run_roofline(const RooflineOptions& options, CommonOptions& common) {
  if (!options.figure.empty()) {
    report::require_drawable(options.figure);
  }
  if (options.compare.size() == 1) {
    throw usage_error("--compare needs two files, only '{}' given", options.compare.front());
  }
  if (!options.compare.empty()) {
    const bool holds = compare_rooflines(options.compare.at(0), options.compare.at(1), common);
    common.exit_code = static_cast<int>(holds ? ExitCode::done : ExitCode::check_failed);
    return;
  }
  if (!options.replot.empty()) {
    show(options, read_roofline(options.replot), common);
    return;
  }
  check(options);
  if (options.dry_run) {
    show_plan(plan_roofline(options), common);
    return;
  }
  const roofline::Roofline found = measure_roofline(options, run_context(common));
  try {
    show(options, found, common);
  } catch (const Error&) {
    throw_if_interrupted("what was measured is kept, but isn't enough for a picture");
    throw;
  }
  throw_if_interrupted(common.output == "-" ? "what was measured is shown" : "what was measured is in " + common.output);
}

}  // namespace

void require_only(const OptionSet& command, const std::vector<std::string>& allowed, const std::string& mode) {
  for (const std::string& name : command.given_options()) {
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
      throw usage_error("{} is given, which means nothing with {}", name, mode);
    }
  }
}

void add_roofline_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<RooflineOptions>();
  OptionSet command = app.add_command("roofline", "Measure the roofs of this machine: peaks, bandwidths of every level, best gemm");
  command.option("--blas", options->blas, "BLAS whose gemm is searched; may be repeated").placeholder("LIBRARY").comma_separated();
  command
      .option("--kernels", options->kernels, "auto: where a BLAS misreads the CPU, the kernels found best by trying; library: as it comes")
      .show_default()
      .choices({"auto", "library"});
  command.option("--threads", options->threads, "most threads (default: one per core, within the control group's limit)").range(1, 4096);
  command.option("--affinity", options->affinity, "close: one socket after the other; spread: in turns")
      .show_default()
      .choices({"close", "spread"});
  command.option("--cores", options->cores, "kind of cores, of a CPU that has several: performance (default), efficiency or all of them")
      .placeholder("KIND");
  command.option("--gemm", options->gemm, "dgemm (default), sgemm, or both as dgemm,sgemm")
      .placeholder("LIST")
      .comma_separated()
      .choices({"dgemm", "sgemm"});
  command.option("--space", options->space, "shapes of gemm: brief, reduced or full (below)").choices({"brief", "reduced", "full"});
  command.option("--m", options->m, "sizes of a space of one's own, e.g. 500,1000 or 256:1024:256").placeholder("SIZES");
  command.option("--n", options->n, "the same").placeholder("SIZES");
  command.option("--k", options->k, "the same").placeholder("SIZES");
  command
      .option("--search", options->search,
              "race, halving, or a published technique: Default, Single, Confidence, C+Inner, C+Inner+R, C+I+Outer, C+I+O+R; "
              "with settings as for 'roofline study'")
      .show_default();
  command.option("--order", options->order, order_help).placeholder("ORDER");
  command.option("--tolerance", options->tolerance, "fraction of time that the best gemm may lose to another of its space")
      .show_default()
      .range(0.0, 0.9);
  command.option("--error", options->error_probability, "probability that it loses more").show_default().range(1e-6, 0.5);
  command.option("--enough", options->enough, "stop searching at this share of the FMA ceiling").range(0.0, 1.0);
  command.option("--streams", options->streams, "only these: load, store, copy, scale, add, triad, update")
      .placeholder("LIST")
      .comma_separated();
  command.option("--nominal-clock", options->nominal_clock_gigahertz, "GHz, for the nominal peak, where the CPU doesn't tell it")
      .range(0.01, 100.0);
  command.option("--fma-units", options->fma_units, "of a core, for the peaks, where the measured number is a guess").range(1, 64);
  command
      .option("--time-budget", options->time_budget,
              "for the searches of gemm and the roofs, which take 10 to 20 s of it, or a few where it is short")
      .show_default();
  add_seed_option(command, options->seed, "of random orders");
  command.flag("--no-gemm", options->no_gemm, "measure no gemm");
  command.flag("--triad-lengths", options->triad_lengths, "also the triad over vectors of 3 KiB to 768 MiB");
  command.option("--point", options->points, "a call to place on the roofline, such as 'dgemv m=2000 n=2000'; may be repeated")
      .placeholder("CALL")
      .repeatable();
  command.option("--program", options->programs, "a recording of 'flopcast record' to place on it; may be repeated")
      .placeholder("FILE")
      .repeatable();
  command.option("--figure", options->figure, "draw it: .svg, .png, or .gp for the gnuplot program").placeholder("FILE");
  const Option replot =
      command.option("--replot", options->replot, "show what an earlier run wrote with --json, without measuring").placeholder("FILE");
  command
      .option("--compare", options->compare,
              "say what differs between two earlier runs beyond noise; exit code 1 if a roof is lower in the second one")
      .placeholder("FILE FILE")
      .values(1, 2)  // one is refused by us: CLI11 would take a command's name for the other
      .excludes(replot);
  command.flag("--quick", options->quick, "fewer samples, and successive halving instead of a race");
  command.flag("--dry-run", options->dry_run, "only print what would be measured");
  command.footer(footer);
  add_roofline_study(command, common);
  command.action([command, options, &common] {
    if (command.has_command()) {
      return;
    }
    if (!options->replot.empty()) {
      require_only(command, {"--replot", "--figure"}, "--replot, which measures nothing");
    }
    if (!options->compare.empty()) {
      require_only(command, {"--compare"}, "--compare, which measures nothing");
    }
    run_roofline(*options, common);
  });
}

}  // namespace flopcast::cli
