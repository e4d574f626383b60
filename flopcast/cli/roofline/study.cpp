#include "flopcast/cli/roofline/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "flopcast/cli/roofline/request.hpp"
#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/interrupt.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/roofline/roofline.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::cli {
namespace {

using roofline::StudyRow;

constexpr const char* footer =
    R"(The published techniques (docs/explanation/roofline.md) measure in fresh processes, the race and successive halving in one process.
Every measured shape is kept: run the command again to go on. 'Default' takes hours on the larger spaces. At the end
the shapes that the searches found are timed 25 times each, interleaved. The rates in the table are upper quartiles, as
for every roof.

Settings follow a technique, each after a colon:
  iterations=N      maximum number of iterations of an invocation (200; Single has one)
  time=DURATION     maximum time of an invocation (10s; 0: no limit); for race and halving, of a whole search (no limit)
  invocations=N     maximum number of invocations of a shape (10; Single has one)
  confidence=SHARE  confidence level of the intervals of the mean (0.99)
  margin=SHARE      relative width of the interval at which an invocation stops (0.01; 0: none)
  minimum-count=N   number of iterations before a shape is given up as below the best so far (2; C+I...)

'flopcast columns roofline study' defines the columns of the table.

Examples:
  flopcast roofline study --m 64,128 --n 64 --k 32,64 --techniques C+I+Outer,race
  flopcast roofline study --m 64,128 --n 64 --k 32,64 --techniques C+I+Outer,race --threads 1,2 --csv
  flopcast roofline study --m 64,128 --n 64 --k 32 --techniques C+Inner,C+Inner:minimum-count=100,Default:invocations=1:iterations=50)";

/// Options of the command; texts are parsed into the request when the command runs.
struct StudyCommand {
  GemmSearchStudyRequest request;
  GemmSpaceTexts space;
  std::vector<std::string> techniques;  ///< empty: all
  std::string kernels = "auto", threads = "1", judge = "found", time_budget;
};

GemmSearchStudyRequest parse_request(const StudyCommand& options) {
  constexpr std::int64_t max_threads = 4096;
  GemmSearchStudyRequest request = options.request;
  request.affinity = machine::parse_affinity(options.space.affinity);
  request.space = parse_space(options.space);
  request.options.order = parse_order(options.space);
  request.options.judge_space = options.judge == "space";
  request.threads.clear();
  for (const std::int64_t threads : parse_sizes(options.threads, "--threads", 1, max_threads)) {
    request.threads.push_back(static_cast<int>(threads));
  }
  if (!options.techniques.empty()) {
    require_distinct(options.techniques, "--techniques");
    request.options.techniques = options.techniques;
  }
  if (!options.time_budget.empty()) {
    request.time_budget = parse_duration(options.time_budget, "--time-budget");
  }
  return request;
}

/// Returns the progress of a search that didn't come to its end.
std::string progress_text(const StudyRow& row, std::size_t shapes) {
  return !row.begun                                         ? "not begun"
         : roofline::searches_in_one_process(row.technique) ? "unfinished, begins anew"
                                                            : fmt::format("{} of {} shapes", row.finished, shapes);
}

report::Table table_of(const RooflineStudy& study) {
  report::Table table;
  table.columns = columns<"roofline study">({"threads", "technique", "best m x n x k", "it found", "rate"});
  const std::string of_best = study.judge_space ? "of the best" : "of the best found";
  const std::string within = fmt::format("within {:g} %", 100 * study.tolerance);
  table.columns.push_back(titled(column<"roofline study">("OF BEST"), of_best, of_best));
  table.columns.push_back(titled(column<"roofline study">("WITHIN"), within, within));
  add_columns<"roofline study">(table.columns, {"trials", "settled", "evaluations", "time", "speedup"});
  const auto share = [](double value, const char* format) { return report::Cell(value, fmt::format(fmt::runtime(format), 100 * value)); };
  for (const GemmSearchStudy& one : study.studies) {
    for (const StudyRow& row : one.rows) {
      const auto where = [](bool known, const report::Cell& cell) { return known ? cell : report::Cell(""); };
      const bool judged = row.rate > 0, finished = row.trials > 0, found = finished || row.evaluations > 0;
      table.rows.push_back({report::whole(one.threads), row.technique, where(found, report::Cell(to_string(study.shapes.at(row.leader)))),
                            where(row.found > 0, report::Cell(row.found, format_flop_rate(row.found))),
                            where(judged, report::Cell(row.rate, format_flop_rate(row.rate))),
                            where(judged, share(row.of_best, "{:.1f} %")), where(judged && finished, share(row.success, "{:.0f} %")),
                            finished ? report::whole(row.trials) : report::Cell(progress_text(row, study.shapes.size())),
                            where(finished && roofline::searches_in_one_process(row.technique), share(row.settled, "{:.0f} %")),
                            where(found, report::whole(row.evaluations)),
                            where(found, report::Cell(row.seconds, format_seconds(row.seconds))),
                            where(row.speedup > 0, report::Cell(row.speedup, fmt::format("{:.2f}x", row.speedup)))});
    }
  }
  return table;
}

void run(const StudyCommand& options, const CommonOptions& common) {
  const Workbench bench({.kernels = options.kernels}, run_context(common));
  const RooflineStudy study = study_gemm_searches(bench, parse_request(options), run_context(common));
  if (!study.complete && !interrupted()) {
    note("the time budget is used up; what was measured is kept: run it again to go on", common);
  }
  if (common.json) {
    emit_document(study, common);
  } else {
    emit(table_of(study), common);
  }
  throw_if_interrupted("what was measured is kept; run it again to go on");
}

}  // namespace

void add_roofline_study(OptionSet& roofline, CommonOptions& common) {
  auto options = std::make_shared<StudyCommand>();
  OptionSet command = roofline.add_command("study", "Compare ways of searching the best dgemm: published techniques, racing, halving");
  roofline::StudyOptions& study = options->request.options;
  command.option("--blas", options->request.blas, "BLAS library whose dgemm is searched")
      .placeholder("LIBRARY")
      .setting("blas")
      .completes(ValueKind::blas)
      .values(1, 1);
  command
      .option(
          "--kernels", options->kernels,
          "Kernels of the BLAS. auto: where a BLAS misreads the CPU, the kernels found best by trying; library: the library's own choice")
      .show_default()
      .choices({"auto", "library"});
  command.option("--threads", options->threads, "Numbers of threads, one study each").placeholder("LIST").show_default();
  add_space_options(command, options->space);
  command
      .option(
          "--techniques", options->techniques,
          "Searches to compare, with settings (below) as in C+Inner:minimum-count=100: Default, Single, Confidence, C+Inner, C+Inner+R, "
          "C+I+Outer, C+I+O+R, race, halving (default: all)")
      .placeholder("LIST")
      .comma_separated();
  command.option("--trials", study.trials, "Number of searches with each technique").show_default().range(1, 10000);
  command
      .option("--tolerance", study.tolerance,
              "Fraction of its time that a successful search's shape may lose to the best one; also the tolerance of the race")
      .show_default()
      .range(0.0, 0.9);
  command
      .option("--judge", options->judge,
              "Shapes that are timed at the end to tell the best one: found by a search, or all shapes of the space")
      .show_default()
      .choices({"found", "space"});
  command.option("--time-budget", options->time_budget, "Time after which the study stops, judging included; a later run goes on")
      .placeholder("DURATION")
      .setting("time-budget");
  add_seed_option(command, study.seed, "Seed of random orders");
  command.flag("--fresh", options->request.fresh, "Begin anew instead of going on with what was kept");
  command.footer(footer);
  command.action([roofline, options, &common] {
    require_only(roofline, {}, "study, whose options come behind it");
    run(*options, common);
  });
}

}  // namespace flopcast::cli
