#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "flopcast/algorithm/families.hpp"
#include "flopcast/cli/rank/tables.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/interrupt.hpp"
#include "flopcast/cli/shared/library_options.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/tuning_options.hpp"
#include "flopcast/cli/tune/tables.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/program/profile_file.hpp"
#include "flopcast/report/figure.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"

namespace flopcast::cli {
namespace {

/// The values of the options of `flopcast tune`.
struct TuneOptions {
  std::string routine;
  std::string precisions = "dzsc";
  bool save = false;
  std::string profile;
  std::string variants;  ///< "all", names, or nothing: the library's own routine only
  TuningOptions shared = {.blocks = "8:128:8,144:256:16"};
};

/// Returns how a program runs with the profile: "; run a program with it: flopcast run -- COMMAND".
std::string how_to_run(const TuneOptions& options) {
  const std::string file = options.profile.empty() ? "" : fmt::format("--profile {} ", options.profile);
  return fmt::format("; run a program with it: flopcast run {}-- COMMAND", file);
}

/// Returns the request for one routine or family.
template <class Request>
Request make_request(const TuneOptions& options, const Routine& routine) {
  return routine_request<Request>(options.shared, routine, "tune " + options.routine, "--n 200:3200");
}

/// Throws usage_error for the name of a family: without variants there is nothing to choose from.
void refuse_family(const std::string& name) {
  if (kernel::find(name) == nullptr && algorithm::is_family(name)) {
    throw usage_error("tune {}: that is a family of algorithms; add --variant all to choose among them, or name a LAPACK routine", name);
  }
}

void tune_places(const TuneOptions& options, const std::vector<machine::LibraryChoice>& where, const CommonOptions& common) {
  if (options.save || !options.profile.empty() || !options.shared.figure.empty()) {
    throw usage_error(
        "a profile holds block sizes of one library's own routine: --save, --profile and --figure don't go with --variant, "
        "nor with several --threads or --blas");
  }
  const bool library_only = options.variants.empty();
  const Routine& routine = library_only ? kernel::require(options.routine) : *algorithm::find_family(options.routine).routine;
  auto request = make_request<RankRequest>(options, routine);
  request.time_budget = options.shared.time_budget.empty() ? TuneRequest().time_budget : request.time_budget;
  if (options.variants != "all") {
    request.variants = list_of(options.variants);
  }
  if (options.shared.validate) {
    request.validate = tuning::Extent::ranking;
  }
  const auto show = [&](const Ranking& tuning) {
    if (common.json) {
      emit_document(tuning, common);
    } else {
      emit(joint_table(tuning), common);
    }
  };
  request.decided = [&](const Ranking& tuning) {
    if (shows_decisions(options.shared.validate, common)) {
      show(tuning);
    }
  };
  const Ranking tuning = tune_jointly(where, options.routine, request, run_context(common));
  if (options.shared.validate) {
    if (shows_parts(common)) {
      emit(std::string("\nmeasured\n\n"), common);
    }
    show(tuning);
  }
  throw_if_interrupted("what was tuned and validated is shown, and every sample is kept; run the same command again to go on");
}

void show_tuning(const Tuning& tuning, const CommonOptions& common) { show(tuning, tuning_table, tuning_text, common); }

void tune_one(const TuneOptions& options, const CommonOptions& common) {
  refuse_family(options.routine);
  const Routine& routine = kernel::require(options.routine);
  auto request = make_request<TuneRequest>(options, routine);
  request.validate = options.shared.validate;
  request.profile = !options.profile.empty() ? options.profile : options.save ? program::default_profile_file() : "";
  if (!options.shared.figure.empty()) {
    report::require_drawable(options.shared.figure);
  }
  const bool rows_at_once = shows_parts(common);  // else everything is shown together at the end, whatever ends it
  request.decided = [&](const Tuning& tuning) {
    if (shows_decisions(options.shared.validate, common)) {
      show_tuning(tuning, common);
    }
  };
  bool has_rows = false;
  request.validated = [&](const Tuning& tuning, std::size_t part, std::size_t problem) {
    if (rows_at_once) {
      const report::Table headings = validation_headings(tuning);
      const report::Table row = {headings.columns, {validation_row(tuning, part, problem)}};
      emit((has_rows ? "" : measured_heading + render(headings, common)) + report::rows_text(row, use_color(common), results_width(common)),
           common);
      has_rows = true;
    }
  };
  const auto profile = [&] {
    std::error_code none;
    return std::filesystem::is_regular_file(request.profile, none) ? read_file(request.profile) : "";
  };
  const std::string before = profile();
  const Workbench bench(options.shared.libraries, run_context(common));
  const Tuning tuning = tune(bench, options.routine, request, run_context(common));
  if (!request.profile.empty()) {
    note((profile() == before ? request.profile + " stays as it was" : "profile saved to " + request.profile) + how_to_run(options),
         common);
  }
  if (has_rows) {
    emit_wrapped(gain_kept_legend, common);
  } else if (options.shared.validate && !rows_at_once) {
    show_tuning(tuning, common);
  }
  for (const RoutineTuning& part : tuning.parts) {
    if (const std::string summary = validation_summary(part); !summary.empty()) {
      note(summary, common);
    }
  }
  if (!options.shared.figure.empty()) {
    report::draw(tuning_figure(tuning.parts.front()), options.shared.figure);
  }
  throw_if_interrupted("the tuning is shown, with the rows that were validated by then");
}

void tune_all(const TuneOptions& options, const CommonOptions& common) {
  if (!options.shared.arguments.empty() || !options.shared.figure.empty()) {
    throw usage_error("tune lapack: arguments of one routine and --figure don't go with all of LAPACK; --n, --nb and --precision do");
  }
  auto request = common_request<LapackRequest>(options.shared);
  request.precisions = options.precisions;
  if (!options.shared.n.empty()) {
    request.n = parse_sizes(options.shared.n, "--n", 1, max_order);
  }
  request.validate = options.shared.validate;
  request.limits_validation = options.shared.limits_validation;
  request.profile = options.profile;
  const Workbench bench(options.shared.libraries, run_context(common));
  const LapackTuning tuning = tune_lapack(bench, request, run_context(common));
  if (common.json) {
    emit_document(tuning, common);
  } else {
    emit(lapack_table(tuning, options.shared.validate), common);
  }
  if (!tuning.left_out.empty()) {
    note(fmt::format("the budget is spent; {} are left, {} first: run the same command again to go on",
                     counted(tuning.left_out.size(), "routine"), tuning.left_out.front()),
         common);
  }
  const bool has_profile = std::filesystem::exists(tuning.profile);
  if (has_profile) {
    note("profile: " + tuning.profile + how_to_run(options), common);
  }
  throw_if_interrupted(has_profile ? fmt::format("what was tuned so far is in {}; run the same command again to go on", tuning.profile)
                                   : "nothing was tuned yet; every sample is kept: run the same command again to go on");
}

void run_tune(TuneOptions options, const CommonOptions& common) {
  const std::vector<machine::LibraryChoice> where = listed_places(options.shared, run_context(common));
  if (where.size() > 1 || !options.variants.empty()) {
    tune_places(options, where, common);
    return;
  }
  options.shared.libraries = where.front();
  if (options.routine == "lapack") {
    tune_all(options, common);
  } else {
    tune_one(options, common);
  }
}

}  // namespace

void add_tune_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<TuneOptions>();
  TuningOptions& shared = options->shared;
  OptionSet command = app.add_command("tune", "Choose the block size of a LAPACK routine without running it");
  command
      .option("routine", options->routine,
              "LAPACK routine, such as dgeqrf; lapack: all of them; with --variant also a family, such as cholesky")
      .required()
      .completes(ValueKind::routine);
  command.option("arguments", shared.arguments,
                 "Sizes (m=2000:4000) and flags (uplo=U; both of two values where none is given) as name=value; n alone means square");
  command.option(
      "--n", shared.n,
      fmt::format("Orders: 1000, 200:3200 (16 values), 200:3200:100 or a list. A routine needs them, or sizes as arguments; default "
                  "for lapack: {}",
                  fmt::join(LapackRequest().n, ",")));
  command.option("--nb", shared.blocks, "Block sizes to choose from").show_default();
  add_time_budget_option(command, shared, "Time for tuning (50s, for lapack 10min); where it is given, --validate has as much again");
  add_repetitions_option(command, shared);
  command.flag("--fixed-crossover", shared.fixed_crossover, "Keep LAPACK's crossover point nx instead of choosing it, too");
  command.flag("--validate", shared.validate, "Also run the routine with every block size, interleaved, and compare");
  command.flag("--save", options->save, "Keep the result in the profile that 'flopcast run' uses");
  command.option("--profile", options->profile, "Keep the result in this profile").placeholder("FILE");
  command.flag("--fresh", shared.fresh, "Use no samples of earlier runs; for lapack, also tune what the profile has already");
  command.option("--figure", shared.figure, "Draw time over block size into this .svg or .png file").placeholder("FILE");
  add_seed_option(command, shared.seed, "Seed of the order of measurements");
  command.option("--precision", options->precisions, "Precisions of lapack: letters of s, d, c, z, the most used first").show_default();
  command.option("--variant", options->variants,
                 "Choose among these variants, too (all, or names that 'flopcast rank' shows), beside the library's own routine");
  add_library_lists(command, shared.libraries, shared.blas, shared.threads);
  command.footer(
      "Examples:\n  flopcast tune dgeqrf --n 200:800:200 --nb 16,32,64 --time-budget 5s\n"
      "  flopcast tune dgelqf --n 200,400 --nb 16,32 --time-budget 2s --save\n"
      "  flopcast tune cholesky --n 300,600 --nb 32,64 --variant all --time-budget 4s\n"
      "  flopcast tune lapack --n 100,200 --precision d --profile lapack.json --time-budget 5s");
  command.action([options, &common] { run_tune(*options, common); });
}

}  // namespace flopcast::cli
