#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "flopcast/cli/roofline/tables.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/interrupt.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/cli/shared/result_files.hpp"
#include "flopcast/machine/caches/bandwidth_kernels.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/roofline/roofline.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer = R"(More:
Spaces of gemm:
  brief    shapes of 'reduced' that do at most 1.1 Gflop (default)
  reduced  96 shapes: m 500 to 4000, n 512 to 4096, k 64 to 2048
  full     539 shapes: m and n 64 to 4096, k 2 to 2048
  own      --m, --n and --k

Examples:
  flopcast roofline
  flopcast roofline --quick --streams triad --time-budget 1s --json --output roofline.json
  flopcast roofline --replot roofline.json --figure roofline.svg
  flopcast roofline --quick --streams triad --no-gemm --point 'dgemv m=2000 n=2000')";

/// Values of the options.
struct RooflineCommand {
  RooflineRequest request;
  std::string kernels = "auto";
  bool dry_run = false;
  std::string replot;
  ResultFiles files;
};

/// Throws usage_error if `option` names something twice.
void require_distinct(std::vector<std::string> names, const char* option) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    throw usage_error("{} names '{}' twice", option, *twice);
  }
}

/// Throws usage_error for options of `command` that mean nothing beside `mode`, such as "--replot": all but those allowed and the
/// common ones.
void require_only(const OptionSet& command, const std::vector<std::string>& allowed, const std::string& mode) {
  for (const std::string& name : command.given_options()) {
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
      throw usage_error("{} is given, which means nothing with {}", name, mode);
    }
  }
}

void require_sensible(const RooflineCommand& options) {
  const RooflineRequest& request = options.request;
  require_distinct(request.blas, "--blas");
  require_distinct(request.gemm, "--gemm");
  std::vector<std::string> streams;
  std::transform(request.streams.begin(), request.streams.end(), std::back_inserter(streams),
                 [](machine::Stream stream) { return std::string(machine::name(stream)); });
  require_distinct(streams, "--streams");
  if (!options.files.figure.empty() && !request.streams.empty() &&
      std::find(request.streams.begin(), request.streams.end(), machine::Stream::triad) == request.streams.end()) {
    throw usage_error("--figure draws the triad's bandwidths, which --streams leaves out");
  }
}

/// Shows the results before the files: they are there even if the figure can't be drawn.
void show(const RooflineCommand& options, const roofline::Roofline& found, const CommonOptions& common) {
  if (common.json) {
    emit_document(found, common);
  } else if (common.csv) {
    emit(roofline_table(found), common);
  } else {
    emit_wrapped(roofline_text(found, common), common);
  }
  write_result_files(found, options.files, common);
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

void run_measurement(const RooflineCommand& options, const CommonOptions& common) {
  require_sensible(options);
  const RunContext context = keeping_if_possible(run_context(common));
  const Workbench bench({.kernels = options.kernels}, context);
  if (options.dry_run) {
    show_plan(plan_roofline(bench, options.request), common);
    return;
  }
  const roofline::Roofline found = measure_roofline(bench, options.request, context);
  try {
    show(options, found, common);
  } catch (const Error&) {
    throw_if_interrupted("what was measured is kept, but isn't enough for a picture");
    throw;
  }
  throw_if_interrupted(common.output == "-" ? "what was measured is shown" : "what was measured is in " + common.output);
}

void add_output_options(OptionSet& command, RooflineCommand& options) {
  add_result_files(command, options.files);
  command.option("--replot", options.replot, "Show the roofline that an earlier run wrote with --json or --page, without measuring")
      .placeholder("FILE");
  command.flag("--dry-run", options.dry_run, "Do nothing: only list what would be measured");
}

}  // namespace

void add_roofline_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<RooflineCommand>();
  OptionSet command = app.add_command("roofline", "Measure the roofs of this machine: peaks, bandwidths, best gemm");
  add_request(command, options->request);
  command.find("--blas").setting("blas");
  command
      .option("--kernels", options->kernels,
              "Kernels of BLAS. auto: where a BLAS detects the wrong CPU, the kernels found best by trying; library: the library's own "
              "choice")
      .show_default()
      .choices({"auto", "library"})
      .rare();
  add_output_options(command, *options);
  command.footer(footer);
  command.action([command, options, &common] {
    if (!options->replot.empty()) {
      require_only(command, {"--replot", "--figure", "--page"}, "--replot, which measures nothing");
      show(*options, read_roofline(options->replot), common);
    } else {
      run_measurement(*options, common);
    }
  });
}

}  // namespace flopcast::cli
