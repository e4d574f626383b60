
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/cli/command.hpp"
#include "flopcast/cli/interrupt.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/profile/page.hpp"
#include "flopcast/cli/profile/tables.hpp"
#include "flopcast/cli/profile/what_if_tables.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/program/recorded_place.hpp"
#include "flopcast/program/recording_warnings.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/what_if.hpp"
#include "flopcast/workbench/recorded_kernels.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer =
    R"(What --what-if asks, each time it is given; what can't be known from the recording is measured within --time-budget:
  same         the recorded libraries and threads: what the models expect of them
  blas=NAME    another BLAS (LAPACK then is the reference, if it is installed)
  lapack=NAME  another LAPACK
  threads=N    other threads of BLAS
  kernels=auto the best kernels of BLAS for this CPU; kernels=library: those that it chooses by itself
  nb           LAPACK with the best block sizes; goes with the others: blas=blis,threads=2,nb

Examples:
  flopcast record --threads 1 -- octave-cli --eval 'A = rand(400); A \ A; qr(A);' && flopcast profile flopcast.trace
  flopcast profile flopcast.trace --by shape --csv
  flopcast profile flopcast.trace --what-if blas=reference --page profile.html --time-budget 5s)";

struct ProfileOptions {
  std::string trace;
  std::string by;
  std::size_t top = 20;
  std::vector<std::string> what_if;
  std::string time_budget = "30s";
  std::string page;
  std::string kernels = "library";
  std::optional<int> threads;
  bool no_peak = false;
};

using TitledTable = std::pair<std::string, report::Table>;

/// The table that --by names, or all that say something.
std::vector<TitledTable> tables(const ProgramReport& report, const ProfileOptions& options) {
  const ProgramView& view = report.view;
  std::vector<TitledTable> all;
  const auto wanted = [&](const std::string& name, bool by_default) { return options.by.empty() ? by_default : options.by == name; };
  if (wanted("routine", true)) {
    all.emplace_back("By routine", routine_table(view));
  }
  if (wanted("shape", true)) {
    all.emplace_back("By shape", shape_table(view, report.top, shape_forecasts(report.answers)));
  }
  if (wanted("thread", view.breakdown.threads().size() > 1)) {
    all.emplace_back("By thread", thread_table(view));
  }
  if (wanted("process", view.breakdown.processes().size() > 1)) {
    all.emplace_back("By process", process_table(view));
  }
  if (wanted("what-if", !report.answers.empty())) {
    all.emplace_back("What if", answer_table(report.answers, view));
  }
  const bool tuned = std::any_of(report.answers.begin(), report.answers.end(), [](const Answer& answer) { return !answer.blocks.empty(); });
  if (wanted("nb", tuned)) {
    all.emplace_back("Block sizes", block_table(report.answers, view));
  }
  return all;
}

void show(const ProgramReport& report, const ProfileOptions& options, const CommonOptions& common) {
  if (common.json) {
    emit(program_document(report), common);
    return;
  }
  const std::vector<TitledTable> all = tables(report, options);
  if (!options.by.empty()) {
    emit(all.front().second, common);
    return;
  }
  std::string text = overview(report.view) + "\n";
  if (report.view.peak) {
    text += fmt::format("peak: {}, {}\n", format_flop_rate(report.view.peak->flops_rate), report.view.peak->what);
  }
  for (const auto& [title, table] : all) {
    text += "\n" + title + ":\n\n" + render(table, common);
  }
  emit(text, common);
}

void check(const ProfileOptions& options, const CommonOptions& common) {
  if (common.csv && options.by.empty()) {
    throw usage_error("there are several tables, and --csv holds one: choose it with --by, such as --by shape");
  }
  if ((options.by == "what-if" || options.by == "nb") && options.what_if.empty()) {
    throw usage_error("--by {} shows answers: it needs --what-if", options.by);
  }
  if (!options.page.empty()) {
    if (options.page == "-" && common.output == "-") {
      throw usage_error("--page -: standard output has the tables already; give the page a file, or the tables with --output");
    }
    require_writable(options.page);
  }
}

/// Tells the user, and keeps it for the page and the document.
void warn(ProgramReport& report, const std::string& warning, const CommonOptions& common) {
  note("flopcast: " + warning, common);
  report.warnings.push_back(warning);
}

/// Returns whether calls that take a noticeable part of the run are faster than the peak by more than measuring errs, which can't be.
bool surpasses_peak(const ProgramView& view) {
  constexpr double noticeable = 0.01, error = 1.05;
  const Seconds all = view.breakdown.all().seconds;
  const std::vector<interpose::ShapeSum>& shapes = view.breakdown.shapes();
  return std::any_of(shapes.begin(), shapes.end(), [&](const interpose::ShapeSum& shape) {
    return shape.sum.seconds > noticeable * all && interpose::efficiency(shape.sum, view.peak).value_or(0) > error;
  });
}

/// Measures the peak, and again where recorded calls surpass it: a minute in which the machine is slow shows no peak.
void measure_view_peak(ProgramReport& report, const KernelSettings& kernels, const CommonOptions& common) {
  constexpr int max_attempts = 3;
  report.view.peak = measure_peak(report.place, kernels);
  for (int attempt = 1; attempt < max_attempts && surpasses_peak(report.view); ++attempt) {
    if (interpose::Peak again = measure_peak(report.place, kernels); again.flops_rate > report.view.peak->flops_rate) {
      report.view.peak = std::move(again);
    }
  }
  if (surpasses_peak(report.view)) {
    warn(report,
         "recorded calls are faster than the peak: the machine is restless now, and shares of the peak say nothing. Profile the recording "
         "again when the machine is idle",
         common);
  }
}

/// Sets the machine's peak, if this is the machine of the recording and its BLAS is here; else a warning says why not.
void find_peak(ProgramReport& report, const std::optional<RecordedKernels>& kernels, const CommonOptions& common) {
  if (report.place.blas.empty()) {
    return;
  }
  if (!interpose::is_this_machine(report.place)) {
    warn(report, fmt::format("no peak: this is another machine than the one of the recording ('{}')", report.place.cpu), common);
    return;
  }
  try {
    measure_view_peak(report, kernels ? kernels->best_setting : KernelSettings(), common);
  } catch (const Error& error) {
    run_context(common).rethrow_if_cancelled();
    warn(report, fmt::format("no peak: {}", error.what()), common);
  }
}

/// What is to be known of the answers beside their rows.
void warn_of_answers(ProgramReport& report, const CommonOptions& common) {
  for (const Answer& answer : std::vector<Answer>(report.answers)) {
    const std::string name = "--what-if " + answer.question.text;
    if (!answer.failure.empty()) {
      report.warnings.push_back(fmt::format("{} can't be answered: {}", name, answer.failure));  // it was told before
      continue;
    }
    if (answer.by_numbers > 0) {
      warn(report,
           fmt::format("{}: {} of calls that NaN, Inf or denormal numbers made slow stay as recorded", name,
                       format_seconds(answer.by_numbers)),
           common);
    }
    for (const BlockChoice& choice : answer.blocks) {
      if (choice.workspace_allows > 0) {
        warn(report,
             fmt::format(
                 "{}: the program's workspace allows {} block sizes up to {}; a program that asks for the size of its workspace (lwork = "
                 "-1) gets what larger ones need",
                 name, choice.routine, choice.workspace_allows),
             common);
      }
    }
    if (answer.question.tuned_blocks && answer.blocks.empty()) {
      warn(report, fmt::format("{}: no call that counts asks LAPACK's ilaenv for a block size in {}", name, answer.place), common);
    } else if (answer.untuned > 0) {
      warn(report, fmt::format("{}: {} of lighter calls left as they are", name, counted(answer.untuned, "shape")), common);
    }
  }
}

/// What the reader must know before believing the rest.
std::vector<std::string> warnings(const interpose::ProgramSummary& summary, const interpose::ProgramBreakdown& breakdown, bool asks_same,
                                  const std::optional<RecordedKernels>& kernels) {
  std::vector<std::string> all = interpose::recording_warnings(summary, breakdown.all().calls);
  if (summary.dry_run) {
    all.emplace_back(std::string("this is a dry run: skipped calls have no time") + (asks_same ? "" : "; --what-if same predicts it"));
  }
  for (std::string& remark : interpose::recording_remarks(summary, breakdown)) {
    all.push_back(std::move(remark));
  }
  if (kernels && kernels->misread()) {
    all.push_back(kernels->text());
  }
  return all;
}

/// If questions were asked and none could be answered, the exit code says why not; the tables are shown all the same.
void tell_failure(const std::vector<Answer>& answers, CommonOptions& common) {
  const auto failed = [](const Answer& answer) { return !answer.failure.empty(); };
  if (!answers.empty() && std::all_of(answers.begin(), answers.end(), failed)) {
    common.exit_code = static_cast<int>(answers.front().failure_code);
  }
}

void run_profile(const ProfileOptions& options, CommonOptions& common) {
  check(options, common);
  std::vector<WhatIf> questions;
  for (const std::string& text : options.what_if) {
    questions.push_back(parse_what_if(text));
  }
  const Seconds budget = parse_duration(options.time_budget, "--time-budget");
  const interpose::ProgramTraceFile file(options.trace);
  const interpose::ProgramBreakdown breakdown(file);
  interpose::RecordedPlace place = interpose::recorded_place(file.summary());
  if (options.threads) {
    place.threads = options.threads;
  }
  const bool compares = !questions.empty() || (!options.no_peak && breakdown.all().flops > 0);
  std::optional<RecordedKernels> kernels;
  std::string assumed;
  if (compares) {
    assumed = interpose::assume_threads(place);
    kernels = recorded_kernels(place, run_context(common));
    place.kernel_settings = kernels ? kernels->had_setting : KernelSettings();
  }
  const bool asks_same = std::any_of(questions.begin(), questions.end(), [](const auto& question) { return question.text == "same"; });
  ProgramReport report{{file.summary(), breakdown, {}}, place, {}, warnings(file.summary(), breakdown, asks_same, kernels), options.top};
  if (!assumed.empty()) {
    report.warnings.push_back(assumed);
  }
  for (const std::string& warning : report.warnings) {
    note("flopcast: " + warning, common);
  }
  if (!options.no_peak && breakdown.all().flops > 0) {
    find_peak(report, kernels, common);
  }
  if (!questions.empty()) {
    report.answers = answer(questions, file, breakdown, place, options.kernels, budget, run_context(common));
    warn_of_answers(report, common);
  }
  if (!options.page.empty()) {
    write_file(options.page, program_page(report, file).html());
  }
  show(report, options, common);
  tell_failure(report.answers, common);
}

}  // namespace

void add_profile_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<ProfileOptions>();
  OptionSet command = app.add_command("profile", "Show where a recorded program's BLAS and LAPACK time went, and what would change it");
  command.option("trace", options->trace, "recording that 'flopcast record' wrote").required().placeholder("FILE");
  command.option("--by", options->by, "show only this table: routine, shape, thread, process, what-if or nb")
      .choices({"routine", "shape", "thread", "process", "what-if", "nb"});
  command.option("--top", options->top, "shapes to show; the rest is one row").show_default().range(1, 1000000);
  command.option("--what-if", options->what_if, "predict the calls under other circumstances (below); may be given several times")
      .one_value();
  command.option("--time-budget", options->time_budget, "for measuring kernels that --what-if needs, all questions together")
      .show_default();
  command.option("--page", options->page, "also write tables and pictures into this HTML file").placeholder("FILE");
  command
      .option("--threads", options->threads,
              "threads of BLAS in the recorded run (default: what 'record --threads' was told, else as BLAS takes by itself)")
      .range(1, 1024);
  command
      .option("--kernels", options->kernels, "for --what-if: library: as BLAS chooses them in a program; auto: the best ones for this CPU")
      .show_default()
      .choices({"auto", "library"});
  command.flag("--no-peak", options->no_peak, "don't measure the peak that rates are compared with");
  command.footer(footer);
  command.action([options, &common] { run_profile(*options, common); });
}

}  // namespace flopcast::cli
