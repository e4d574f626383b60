#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "flopcast/algorithm/families.hpp"
#include "flopcast/cli/race/tables.hpp"
#include "flopcast/cli/rank/tables.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/interrupt.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/tuning_options.hpp"
#include "flopcast/cli/tune/tables.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/program/tuning_file.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"

namespace flopcast::cli {
namespace {

/// The values of the options of `flopcast tune`.
struct TuneOptions {
  TuneRequest request;
  ProgramTuneRequest program;
  SharedTuningOptions shared;
  std::string precisions = LapackRequest().precisions;
  bool save = false, has_threads = false;
  std::string variants;  ///< "all", names, or nothing: the library's own routine only
};

/// Returns how a program runs with the tuning file: "; run a program with it: flopcast run -- COMMAND".
std::string how_to_run(const TuneOptions& options) {
  const std::string file = options.request.tuning.empty() ? "" : fmt::format("--tuning {} ", options.request.tuning);
  return fmt::format("; run a program with it: flopcast run {}-- COMMAND", file);
}

/// Returns the request for one routine or family.
template <class Request>
Request make_request(const TuneOptions& options, Request request, const Routine& routine) {
  return routine_request(options.shared, std::move(request), routine, "tune " + options.request.routine, "--n 200:3200");
}

/// Throws usage_error for the name of a family: without variants there is nothing to choose from.
void refuse_family(const std::string& name) {
  if (kernel::find(name) == nullptr && algorithm::is_family(name)) {
    throw usage_error("tune {}: that is a family of algorithms; add --variant all to choose among them, or name a LAPACK routine", name);
  }
}

void tune_places(const TuneOptions& options, RankRequest request, const CommonOptions& common) {
  if (options.save || !options.request.tuning.empty()) {
    throw usage_error(
        "a tuning file holds block sizes of one library's own routine: --save and --tuning don't go with --variant, "
        "nor with several --threads or --blas");
  }
  const bool library_only = options.variants.empty();
  const Routine& routine = library_only ? kernel::require(request.family) : *algorithm::find_family(request.family).routine;
  request = make_request(options, std::move(request), routine);
  if (options.variants != "all") {
    request.variants = list_of(options.variants);
  }
  if (options.request.validate) {
    request.validate = tuning::Extent::ranking;
  }
  const auto show = [&](const Ranking& tuning) {
    if (common.json) {
      emit_document(tuning, common);
    } else {
      emit(joint_table(tuning), common);
    }
  };
  TuningObserver<Ranking> observer;
  observer.decided = [&](const Ranking& tuning) {
    if (shows_decisions(options.request.validate, common)) {
      show(tuning);
    }
  };
  const Ranking tuning = tune_jointly(Workbench(options.shared.libraries, run_context(common)), request, run_context(common), observer);
  if (options.request.validate) {
    if (shows_parts(common)) {
      emit(std::string("\nmeasured\n\n"), common);
    }
    show(tuning);
  }
  write_result_files(tuning, options.shared.files, common);
  throw_if_interrupted("what was tuned and validated is shown, and every sample is kept; run the same command again to go on");
}

void show_tuning(const Tuning& tuning, const CommonOptions& common) { show(tuning, tuning_table, tuning_text, common); }

void tune_one(const TuneOptions& options, const CommonOptions& common) {
  refuse_family(options.request.routine);
  TuneRequest request = make_request(options, options.request, kernel::require(options.request.routine));
  if (request.tuning.empty() && options.save) {
    request.tuning = program::default_tuning_file();
  }
  const bool rows_at_once = shows_parts(common);  // else everything is shown together at the end, whatever ends it
  TuningObserver<Tuning> observer;
  observer.decided = [&](const Tuning& tuning) {
    if (shows_decisions(options.request.validate, common)) {
      show_tuning(tuning, common);
    }
  };
  bool has_rows = false;
  observer.validated = [&](const Tuning& tuning, std::size_t part, std::size_t problem) {
    if (rows_at_once) {
      const report::Table headings = validation_headings(tuning);
      const report::Table row = {headings.columns, {validation_row(tuning, part, problem)}};
      emit((has_rows ? "" : measured_heading + render(headings, common)) + report::rows_text(row, use_color(common), results_width(common)),
           common);
      has_rows = true;
    }
  };
  const auto tuning_file = [&] {
    std::error_code none;
    return std::filesystem::is_regular_file(request.tuning, none) ? read_file(request.tuning) : "";
  };
  const std::string before = tuning_file();
  const Workbench bench(options.shared.libraries, run_context(common));
  const Tuning tuning = tune(bench, request, run_context(common), observer);
  if (!request.tuning.empty()) {
    note((tuning_file() == before ? request.tuning + " stays as it was" : "tuning file saved to " + request.tuning) + how_to_run(options),
         common);
  }
  if (has_rows) {
    emit_wrapped(yield_legend, common);
  } else if (options.request.validate && !rows_at_once) {
    show_tuning(tuning, common);
  }
  for (const RoutineTuning& part : tuning.parts) {
    if (const std::string summary = validation_summary(part); !summary.empty()) {
      note(summary, common);
    }
  }
  write_result_files(tuning, options.shared.files, common);
  throw_if_interrupted("the tuning is shown, with the rows that were validated by then");
}

void tune_all(const TuneOptions& options, const CommonOptions& common) {
  if (!options.shared.arguments.empty()) {
    throw usage_error("tune lapack: arguments of one routine don't go with all of LAPACK; --n, --nb and --precisions do");
  }
  auto request = with_members_of<LapackRequest>(options.request);
  request.precisions = options.precisions;
  request.limits_validation = options.shared.has_time_budget;
  if (options.request.n.empty()) {
    request.n = LapackRequest().n;
  }
  if (!options.shared.has_time_budget) {
    request.time_budget = LapackRequest().time_budget;
  }
  const Workbench bench(options.shared.libraries, run_context(common));
  const LapackTuning tuning = tune_lapack(bench, request, run_context(common));
  if (common.json) {
    emit_document(tuning, common);
  } else {
    emit(lapack_table(tuning, options.request.validate), common);
  }
  write_result_files(tuning, options.shared.files, common);
  if (!tuning.left_out.empty()) {
    note(fmt::format("the budget is spent; {} are left, {} first: run the same command again to go on",
                     counted(tuning.left_out.size(), "routine"), tuning.left_out.front()),
         common);
  }
  const bool has_tuning = std::filesystem::exists(tuning.tuning);
  if (has_tuning) {
    note("tuning file: " + tuning.tuning + how_to_run(options), common);
  }
  throw_if_interrupted(has_tuning ? fmt::format("what was tuned so far is in {}; run the same command again to go on", tuning.tuning)
                                  : "nothing was tuned yet; every sample is kept: run the same command again to go on");
}

/// Returns whether the words are a program's: parameters are given, or the document of a space.
bool tunes_program(const TuneOptions& options) { return !options.program.parameters.empty() || options.request.routine.ends_with(".json"); }

void tune_program(TuneOptions options, const OptionSet& command, const CommonOptions& common) {
  static const std::set<std::string> allowed = {"--parameter", "--condition",   "--template", "--timeout", "--no-check", "--anonymous",
                                                "--threads",   "--time-budget", "--validate", "--page",    "--figure"};
  for (const std::string& name : command.given_options()) {
    if (name.starts_with("--") && allowed.count(name) == 0) {
      throw usage_error("tune: {} doesn't go with the parameters of a program. There are {}", name, fmt::join(allowed, ", "));
    }
  }
  ProgramTuneRequest& request = options.program;
  request.command = options.shared.arguments;
  (options.request.routine.ends_with(".json") ? request.space : *request.command.insert(request.command.begin(), "")) =
      options.request.routine;
  if (options.shared.has_time_budget) {
    request.time_budget = options.request.time_budget;
  }
  if (options.has_threads) {
    request.threads =
        static_cast<int>(parse_sizes(options.shared.threads, "--threads", 1, static_cast<std::int64_t>(bounds::threads.max)).front());
  }
  request.race = options.request.validate;
  request.anonymous = options.shared.files.anonymous;
  const RunContext context = keeping_if_possible(program_context(common));
  const ProgramTuning tuning = flopcast::tune_program(Workbench({}, context), request, context);
  if (common.json) {
    emit_document(tuning, common);
  } else {
    emit(program_table(tuning, common.csv), common);
    if (tuning.race) {
      emit(race_table(*tuning.race), common);
    }
  }
  write_result_files(tuning, options.shared.files, common);
}

void run_tune(TuneOptions options, const OptionSet& command, const CommonOptions& common) {
  if (tunes_program(options)) {
    tune_program(std::move(options), command, common);
    return;
  }
  auto ranking = with_members_of<RankRequest>(options.request);
  ranking.family = options.request.routine;
  name_places(options.shared, ranking);
  const std::vector<machine::LibraryChoice> where = places(ranking.blas, ranking.threads, options.shared.libraries, run_context(common));
  if (where.size() > 1 || !options.variants.empty()) {
    tune_places(options, std::move(ranking), common);
    return;
  }
  options.shared.libraries = where.front();
  if (options.request.routine == "lapack") {
    tune_all(options, common);
  } else {
    tune_one(options, common);
  }
}

}  // namespace

void add_tune_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<TuneOptions>();
  OptionSet command = app.add_command("tune", "Choose LAPACK's block sizes or a program's parameters by prediction");
  add_tuning_request(command, options->request, options->shared);
  command.flag("--save", options->save, "Keep the result in the tuning file that 'flopcast run' uses");
  command.option("--precisions", options->precisions, "Precisions of lapack: letters of s, d, c, z, the most used first")
      .placeholder("LETTERS")
      .show_default();
  command
      .option("--variant", options->variants,
              "Choose among these variants, too (all, or names that 'flopcast rank' shows), beside the library's own routine")
      .placeholder("NAME");
  add_request(command, options->program);
  command.find("--threads").each([options](const std::string&) { options->has_threads = true; });
  command.footer(
      fmt::format("More:\nThe routine is one of LAPACK's, lapack for all of them (by default at n = {}, in {}), or with\n"
                  "--variant also a family, such as cholesky. Where a time budget is given, --validate has as much\n"
                  "again. lapack --fresh also tunes what the tuning file has already.\n\n"
                  "With --parameter the words after -- are a program and its arguments. It runs dry for each setting, its\n"
                  "kernels are predicted within a time budget of {} by default, and one setting is executed as a check.\n"
                  "--validate races the best ones. Instead of the words, SPACE.json may give command, parameters and\n"
                  "conditions (flopcast-space-1).\n\n"
                  "Examples:\n  flopcast tune dgeqrf --n 200:800:200 --nb 16,32,64 --time-budget 5s\n"
                  "  flopcast tune dgelqf --n 200,400 --nb 16,32 --time-budget 2s --save\n"
                  "  flopcast tune cholesky --n 300,600 --nb 32,64 --variant all --time-budget 4s\n"
                  "  flopcast tune --parameter nb=16:128:16 --parameter variant=left,right -- ./ldlt {{nb}} {{variant}}\n"
                  "  flopcast tune lapack --n 100,200 --precisions d --tuning lapack.json --time-budget 5s",
                  to_text(LapackRequest().n), to_text(LapackRequest().time_budget), to_text(ProgramTuneRequest().time_budget)));
  command.action([options, command, &common] { run_tune(*options, command, common); });
}

}  // namespace flopcast::cli
