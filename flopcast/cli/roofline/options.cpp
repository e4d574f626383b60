#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "flopcast/cli/roofline/request.hpp"
#include "flopcast/cli/roofline/tables.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/interrupt.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/kernel/call_list.hpp"
#include "flopcast/report/figure.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/roofline/roofline.hpp"
#include "flopcast/workbench/workbench.hpp"

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

/// Options of the command; texts are parsed into the request when the command runs.
struct RooflineCommand {
  RooflineRequest request;
  GemmSpaceTexts space;
  std::string kernels = "auto", time_budget = "60s";
  std::vector<std::string> streams, points;
  double nominal_clock_gigahertz = 0;
  bool dry_run = false, no_gemm = false;
  std::string figure, replot;
  std::vector<std::string> compare;
};

RooflineRequest parse_request(const RooflineCommand& options) {
  require_distinct(options.request.blas, "--blas");
  require_distinct(options.request.gemm, "--gemm");
  require_distinct(options.streams, "--streams");
  RooflineRequest request = options.request;
  request.affinity = machine::parse_affinity(options.space.affinity);
  request.space = parse_space(options.space);
  request.searches_gemm = !options.no_gemm;
  request.nominal_hertz = options.nominal_clock_gigahertz * 1e9;
  request.time_budget = parse_duration(options.time_budget, "--time-budget");
  std::transform(options.streams.begin(), options.streams.end(), std::back_inserter(request.streams), machine::parse_stream);
  if (!options.figure.empty() && !options.streams.empty() &&
      std::find(options.streams.begin(), options.streams.end(), "triad") == options.streams.end()) {
    throw usage_error("--figure draws the triad's bandwidths, which --streams leaves out");
  }
  for (const std::string& text : options.points) {
    const std::vector<Call> calls = kernel::expand_calls(text);
    request.calls.insert(request.calls.end(), calls.begin(), calls.end());
  }
  return request;
}

/// Shows the results before the figure: they are there even if the figure can't be drawn.
void show(const RooflineCommand& options, const roofline::Roofline& found, const CommonOptions& common) {
  if (common.json) {
    emit_document(found, common);
  } else if (common.csv) {
    emit(roofline_table(found), common);
  } else {
    emit_wrapped(roofline_text(found, common), common);
  }
  if (!options.figure.empty()) {
    draw_roofline(found, options.figure);
    note("figure: " + options.figure, common);
  }
}

void show_plan(const RooflinePlan& plan, const CommonOptions& common) {
  if (common.json) {
    emit_document(plan, common);
    return;
  }
  emit(plan_table(plan), common);
  for (const std::string& line : plan.findings) {
    note(line, common);
  }
}

void run_comparison(const std::vector<std::string>& files, CommonOptions& common) {
  if (files.size() == 1) {
    throw usage_error("--compare needs two files, only '{}' given", files.front());
  }
  const roofline::Comparison comparison = compare_rooflines(files.at(0), files.at(1));
  if (common.json) {
    emit_document(comparison, common);
  } else if (common.csv) {
    emit(comparison_table(comparison), common);
  } else {
    emit_wrapped(comparison_text(comparison, common), common);
  }
  common.exit_code = static_cast<int>(verdict(comparison).lower == 0 ? ExitCode::done : ExitCode::check_failed);
}

void run_measurement(const RooflineCommand& options, const CommonOptions& common) {
  const RooflineRequest request = parse_request(options);
  const RunContext context = keeping_if_possible(run_context(common));
  const Workbench bench({.kernels = options.kernels}, context);
  if (options.dry_run) {
    show_plan(plan_roofline(bench, request), common);
    return;
  }
  const roofline::Roofline found = measure_roofline(bench, request, context);
  try {
    show(options, found, common);
  } catch (const Error&) {
    throw_if_interrupted("what was measured is kept, but isn't enough for a picture");
    throw;
  }
  throw_if_interrupted(common.output == "-" ? "what was measured is shown" : "what was measured is in " + common.output);
}

void add_machine_options(OptionSet& command, RooflineCommand& options) {
  RooflineRequest& request = options.request;
  command.option("--blas", request.blas, "BLAS library whose gemm is searched; may be repeated")
      .placeholder("LIBRARY")
      .setting("blas")
      .completes(ValueKind::blas)
      .comma_separated();
  command
      .option(
          "--kernels", options.kernels,
          "Kernels of the BLAS. auto: where a BLAS misreads the CPU, the kernels found best by trying; library: the library's own choice")
      .show_default()
      .choices({"auto", "library"});
  command.option("--threads", request.threads, "Maximum number of threads (default: one per core, within the control group's limit)")
      .range(1, 4096);
  command
      .option("--cores", request.cores,
              "Kind of cores of a CPU that has several kinds: performance (default), efficiency, or all for all of them")
      .placeholder("KIND");
  command
      .option("--nominal-clock", options.nominal_clock_gigahertz,
              "Clock in GHz from which the nominal peak is computed (default: as the CPU tells it)")
      .range(0.01, 100.0);
  command
      .option("--fma-units", request.fma_units,
              "Number of FMA units of a core, from which peaks are computed (default: as measured, which may be a guess)")
      .range(1, 64);
}

void add_search_options(OptionSet& command, RooflineCommand& options) {
  RooflineRequest& request = options.request;
  command.option("--gemm", request.gemm, "Routines to search: dgemm (default), sgemm, or both as dgemm,sgemm")
      .placeholder("LIST")
      .comma_separated()
      .choices({"dgemm", "sgemm"});
  add_space_options(command, options.space);
  command.option("--tolerance", request.tolerance, "Fraction of its time that the best gemm may lose to another shape of the space")
      .show_default()
      .range(0.0, 0.9);
  command.option("--error", request.error_probability, "Probability that the best gemm loses more than --tolerance to another shape")
      .show_default()
      .range(1e-6, 0.5);
  command.option("--stop-at", request.stop_at, "Share of the FMA ceiling at which the search of gemm stops, 0 to 1").range(0.0, 1.0);
  command.flag("--no-gemm", options.no_gemm, "Measure no gemm");
}

void add_roof_options(OptionSet& command, RooflineCommand& options) {
  RooflineRequest& request = options.request;
  command
      .option("--streams", options.streams,
              "Streams whose bandwidth is measured: load, store, copy, scale, add, triad, update (default: all)")
      .placeholder("LIST")
      .comma_separated();
  command.flag("--triad-lengths", request.triad_lengths, "Also measure the triad over vectors of 3 KiB to 768 MiB");
  command
      .option("--time-budget", options.time_budget,
              "Time for the searches of gemm and for the roofs, which take 10 to 20 s of it, or a few seconds where it is short")
      .show_default()
      .setting("time-budget");
  add_seed_option(command, request.seed, "Seed of random orders");
  command.flag("--quick", request.quick, "Take fewer samples, and end the race of shapes after 8 rounds");
  command.option("--point", options.points, "Call to place on the roofline, such as 'dgemv m=2000 n=2000'; may be repeated")
      .placeholder("CALL")
      .repeatable();
  command.option("--program", request.recordings, "Recording of 'flopcast record' to place on the roofline; may be repeated")
      .placeholder("FILE")
      .repeatable();
}

void add_output_options(OptionSet& command, RooflineCommand& options) {
  command.option("--figure", options.figure, "Draw the roofline: .svg, .png, or .gp for the gnuplot program").placeholder("FILE");
  const Option replot =
      command.option("--replot", options.replot, "Show the roofline that an earlier run wrote with --json, without measuring")
          .placeholder("FILE");
  command
      .option("--compare", options.compare,
              "Say what differs between two earlier runs beyond noise; exit code 1 if a roof is lower in the second one")
      .placeholder("FILE FILE")
      .values(1, 2)  // one is refused by us: CLI11 would take a command's name for the other
      .excludes(replot);
  command.flag("--dry-run", options.dry_run, "Only print what would be measured");
}

}  // namespace

void add_roofline_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<RooflineCommand>();
  OptionSet command = app.add_command("roofline", "Measure the roofs of this machine: peaks, bandwidths of every level, best gemm");
  add_machine_options(command, *options);
  add_search_options(command, *options);
  add_roof_options(command, *options);
  add_output_options(command, *options);
  command.footer(footer);
  command.action([command, options, &common] {
    if (!options->figure.empty()) {
      report::require_drawable(options->figure);
    }
    if (!options->replot.empty()) {
      require_only(command, {"--replot", "--figure"}, "--replot, which measures nothing");
      show(*options, read_roofline(options->replot), common);
    } else if (!options->compare.empty()) {
      require_only(command, {"--compare"}, "--compare, which measures nothing");
      run_comparison(options->compare, common);
    } else {
      run_measurement(*options, common);
    }
  });
}

}  // namespace flopcast::cli
