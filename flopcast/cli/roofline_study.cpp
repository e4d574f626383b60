#include "flopcast/cli/roofline_study.hpp"

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "flopcast/cli/interrupt.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/roofline_options.hpp"
#include "flopcast/cli/roofline_table.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/roofline/gemm_roof.hpp"
#include "flopcast/roofline/study.hpp"
#include "flopcast/support/digest.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/roofline/roofline_request.hpp"
#include "flopcast/workbench/kernel_choice.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::cli {
namespace {

using roofline::StudyRow;
using roofline::StudyState;

constexpr const char* footer =
    R"(The published techniques (docs/roofline.md) with iterations in fresh processes, beside the race and successive halving in one
process. What is measured is kept after every shape: run it again to go on. 'Default' takes hours on the
larger spaces. What the searches found is timed once more, interleaved, 25 times each: the rates in the table
are the upper quartiles, as for every roof.

Settings go behind a technique, each after a colon:
  iterations=N     at most, of an invocation (200; Single has one)
  time=DURATION    at most, of an invocation (10s; 0: no limit)
  invocations=N    at most, of a shape (10; Single has one)
  confidence=SHARE of the intervals of the mean (0.99)
  margin=SHARE     stop when the interval is that narrow (0.01; 0: don't)
  minimum-count=N  of iterations before a shape is given up as below the best so far (2; C+I...)
'time' of race and halving is that of a whole search, endless without it; 'settled' says how many ended before.

Examples:
  flopcast roofline study --m 64,128 --n 64 --k 32,64 --techniques C+I+Outer,race
  flopcast roofline study --m 64,128 --n 64 --k 32,64 --techniques C+I+Outer,race --threads 1,2 --csv
  flopcast roofline study --m 64,128 --n 64 --k 32 --techniques C+Inner,C+Inner:minimum-count=100,Default:invocations=1:iterations=50)";

struct StudyCommandOptions {
  RooflineOptions shared;  ///< blas (one), kernels, threads, affinity, space
  roofline::StudyOptions study;
  std::string time_budget;
  std::string threads = "1";
  std::string judge = "found";
  bool fresh = false;
};

roofline::GemmSetup gemm_setup(const RooflineOptions& options, int threads, const roofline::GemmSpace& space, const CommonOptions& common) {
  const machine::Topology all = machine::detect_topology();
  const machine::Topology topology = all.kinds.empty() ? all : machine::restricted_to(all, all.kinds.front().name);
  machine::LibraryChoice library;
  library.blas = options.blas.empty() ? machine::default_blas(threads) : options.blas.front();
  library.kernels = options.kernels;
  roofline::GemmSetup setup;
  setup.library = library.blas;
  setup.threads = threads;
  setup.affinity = machine::parse_affinity(options.affinity);
  setup.cpus = machine::choose_cpus(topology.places, setup.threads, setup.affinity);
  setup.settings = choose_kernels(library, run_context(common));
  setup.elements = space.elements();
  return setup;
}

/// Tells studies apart that can't be continued by each other.
std::string key_of(const roofline::GemmSetup& setup, const roofline::GemmSpace& space, const StudyCommandOptions& options) {
  const std::filesystem::path library = machine::locate(setup.library, machine::Role::blas);
  std::error_code unknown;
  std::string text = fmt::format("{} {} {} {} {} {} {} {} {}", machine::hardware_fingerprint(machine::detect_topology()), library.string(),
                                 std::filesystem::file_size(library, unknown),
                                 std::filesystem::last_write_time(library, unknown).time_since_epoch().count(), setup.threads,
                                 options.shared.affinity, options.study.seed, options.study.tolerance, options.study.error_probability);
  text += " judged by upper quartiles " + text_of(setup.settings);
  for (const roofline::GemmShape& shape : space.shapes) {
    text += ' ' + to_string(shape);
  }
  if (!options.shared.order.empty()) {
    text += ' ' + options.shared.order;
  }
  return hexadecimal_digest(text);
}

/// One library with one number of threads.
struct Studied {
  roofline::GemmSetup setup;
  StudyState state;
  std::vector<StudyRow> rows;
};

/// How far a search is that didn't come to its end.
std::string progress_text(const StudyRow& row, std::size_t shapes) {
  return !row.begun                                         ? "not begun"
         : roofline::searches_in_one_process(row.technique) ? "unfinished, begins anew"
                                                            : fmt::format("{} of {} shapes", row.finished, shapes);
}

report::Table table_of(const std::vector<Studied>& all, const roofline::GemmSpace& space, const roofline::StudyOptions& study) {
  report::Table table;
  table.columns = {{"threads"},
                   {"technique", report::Align::left},
                   {"best m x n x k"},
                   {"it found"},
                   {"rate"},
                   {study.judge_space ? "of the best" : "of the best found"},
                   {fmt::format("within {:g} %", 100 * study.tolerance)},
                   {"trials"},
                   {"settled"},
                   {"evaluations"},
                   {"time"},
                   {"speedup"}};
  const auto share = [](double value, const char* format) { return report::Cell(value, fmt::format(fmt::runtime(format), 100 * value)); };
  for (const Studied& studied : all) {
    for (const StudyRow& row : studied.rows) {
      const auto where = [](bool known, const report::Cell& cell) { return known ? cell : report::Cell(""); };
      const bool judged = row.rate > 0, finished = row.trials > 0, found = finished || row.evaluations > 0;
      table.rows.push_back(
          {report::whole(studied.setup.threads), row.technique, where(found, report::Cell(to_string(space.shapes.at(row.leader)))),
           where(row.found > 0, report::Cell(row.found, format_flop_rate(row.found))),
           where(judged, report::Cell(row.rate, format_flop_rate(row.rate))), where(judged, share(row.of_best, "{:.1f} %")),
           where(judged && finished, share(row.success, "{:.0f} %")),
           finished ? report::whole(row.trials) : report::Cell(progress_text(row, space.shapes.size())),
           where(finished && roofline::searches_in_one_process(row.technique), share(row.settled, "{:.0f} %")),
           where(found, report::whole(row.evaluations)), where(found, report::Cell(row.seconds, format_seconds(row.seconds))),
           where(row.speedup > 0, report::Cell(row.speedup, fmt::format("{:.2f}x", row.speedup)))});
    }
  }
  return table;
}

nlohmann::json document_of(const std::vector<Studied>& all, const roofline::GemmSpace& space) {
  nlohmann::json shapes = nlohmann::json::array(), studies = nlohmann::json::array();
  for (const roofline::GemmShape& shape : space.shapes) {
    shapes.push_back({shape.m, shape.n, shape.k});
  }
  for (const Studied& studied : all) {
    nlohmann::json rows = nlohmann::json::array();
    for (const StudyRow& row : studied.rows) {
      rows.push_back({{"technique", row.technique},
                      {"trials", row.trials},
                      {"begun", row.begun},
                      {"finished_shapes", row.finished},
                      {"leader", row.leader},
                      {"found_flops_per_second", row.found},
                      {"flops_per_second", row.rate},
                      {"of_best", row.of_best},
                      {"success", row.success},
                      {"settled", row.settled},
                      {"seconds", row.seconds},
                      {"evaluations", row.evaluations},
                      {"speedup", row.speedup}});
    }
    studies.push_back({{"library", studied.setup.library},
                       {"threads", studied.setup.threads},
                       {"settings", studied.setup.settings},
                       {"rows", rows},
                       {"state", studied.state}});
  }
  return {{"schema", "flopcast-roofline-study-2"}, {"shapes", shapes}, {"studies", studies}};
}

/// Costs are seconds per flop, measured in one process that lasts as long as the evaluator.
search::Evaluator one_process(const roofline::GemmSetup& setup, const roofline::GemmSpace& space) {
  auto process = std::make_shared<roofline::GemmProcess>(setup);
  return [process, &space, threads = setup.threads](std::size_t i) {
    return time_once(*process, space.shapes[i], threads) / space.shapes[i].flops();
  };
}

/// Everything that can be told wrong before anything is measured, and what the options mean.
roofline::StudyOptions checked(const StudyCommandOptions& options) {
  roofline::StudyOptions study = options.study;
  study.techniques = study.techniques.empty() ? roofline::study_techniques() : study.techniques;
  study.order = requested_order(options.shared);
  study.judge_space = options.judge == "space";
  require_distinct(study.techniques, "--techniques");
  std::for_each(study.techniques.begin(), study.techniques.end(), roofline::require_technique);
  if (study.order && std::all_of(study.techniques.begin(), study.techniques.end(), roofline::searches_in_one_process)) {
    throw usage_error("--order is for the published techniques; race and halving take the shapes in random order");
  }
  return study;
}

/// Runs what is lacking, or as much of it as there is time for until `deadline` of `watch`; false if that wasn't all.
bool run(Studied& studied, const roofline::GemmSpace& space, const StudyCommandOptions& options, const roofline::StudyOptions& study,
         const Stopwatch& watch, Seconds deadline, const CommonOptions& common) {
  model::Store store = open_store(run_context(common));
  const std::string key = key_of(studied.setup, space, options);
  const auto read = [&space](const nlohmann::json& kept) {
    auto state = kept.get<StudyState>();
    roofline::require_within(state, space.shapes.size());
    return state;
  };
  if (auto kept = options.fresh ? std::nullopt : store.read_artifact(model::artifact::roofline_study, key, read)) {
    studied.state = std::move(*kept);
    note(fmt::format("{}: going on with what was kept of this study; --fresh begins anew", counted(studied.setup.threads, "thread")),
         common);
  }
  roofline::StudySources sources;
  sources.invoke = gemm_invocation(studied.setup, space);
  sources.evaluator = [&] { return one_process(studied.setup, space); };
  sources.clock = [watch] { return watch.elapsed(); };
  sources.interrupted = [] { return interrupted(); };
  sources.until = deadline;
  const auto expected = static_cast<std::int64_t>(study.techniques.size() * static_cast<std::size_t>(study.trials) * space.shapes.size());
  sources.keep = [&, show = run_context(common).step("study")](const StudyState& now) {
    store.put_artifact(model::artifact::roofline_study, key, now);
    std::int64_t done = 0;
    for (const roofline::StudyRun& one : now.runs) {
      done += static_cast<std::int64_t>(one.complete ? space.shapes.size() : one.finished.size());
    }
    show(done, expected);
  };
  const bool complete = run_study(space.shapes.size(), sources, study, studied.state);
  studied.rows = summarise(studied.state, study);
  return complete;
}

void run(const StudyCommandOptions& options, const CommonOptions& common) {
  constexpr std::int64_t max_threads = 4096;
  const Stopwatch watch;
  const roofline::GemmSpace space = requested_space(options.shared);
  require_memory(space);
  const roofline::StudyOptions study = checked(options);
  const Seconds deadline =
      options.time_budget.empty() ? std::numeric_limits<Seconds>::infinity() : parse_duration(options.time_budget, "--time-budget");
  std::vector<Studied> all;
  for (const std::int64_t threads : parse_sizes(options.threads, "--threads", 1, max_threads)) {
    all.push_back({gemm_setup(options.shared, static_cast<int>(threads), space, common), {}, {}});
  }
  bool complete = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Seconds share = (deadline - watch.elapsed()) / static_cast<double>(all.size() - i);
    complete = run(all[i], space, options, study, watch, watch.elapsed() + share, common) && complete;
  }
  if (!complete && !interrupted()) {
    note("the time budget is used up; what was measured is kept: run it again to go on", common);
  }
  if (common.json) {
    emit(document_of(all, space), common);
  } else {
    emit(table_of(all, space, study), common);
  }
  throw_if_interrupted("what was measured is kept; run it again to go on");
}

}  // namespace

void add_roofline_study(OptionSet& roofline, CommonOptions& common) {
  auto options = std::make_shared<StudyCommandOptions>();
  OptionSet command = roofline.add_command("study", "Compare ways of searching the best dgemm: published techniques, racing, halving");
  RooflineOptions& shared = options->shared;
  command.option("--blas", shared.blas, "BLAS library").placeholder("LIBRARY").values(1, 1);
  command.option("--kernels", shared.kernels, "auto or library, as for roofline").show_default().choices({"auto", "library"});
  command.option("--threads", options->threads, "numbers of threads, one study each").placeholder("LIST").show_default();
  command.option("--affinity", shared.affinity, "close or spread").show_default().choices({"close", "spread"});
  command.option("--space", shared.space, "brief, reduced or full, as for roofline").choices({"brief", "reduced", "full"});
  command.option("--m", shared.m, "sizes of a space of one's own").placeholder("SIZES");
  command.option("--n", shared.n, "the same").placeholder("SIZES");
  command.option("--k", shared.k, "the same").placeholder("SIZES");
  command
      .option("--techniques", options->study.techniques,
              "some of Default, Single, Confidence, C+Inner, C+Inner+R, C+I+Outer, C+I+O+R, race, halving (default: all), "
              "with settings (below) as in C+Inner:minimum-count=100")
      .placeholder("LIST")
      .comma_separated();
  command.option("--order", shared.order, order_help).placeholder("ORDER");
  command.option("--trials", options->study.trials, "searches with each technique").show_default().range(1, 10000);
  command.option("--tolerance", options->study.tolerance, "what counts as success; also the race's").show_default().range(0.0, 0.9);
  command
      .option("--judge", options->judge, "what is timed at the end to tell which shape is the best: found by a search, or all of the space")
      .show_default()
      .choices({"found", "space"});
  command.option("--time-budget", options->time_budget, "stop after this time, judging included; a later run goes on")
      .placeholder("DURATION");
  add_seed_option(command, options->study.seed, "of random orders");
  command.flag("--fresh", options->fresh, "begin anew instead of going on");
  command.footer(footer);
  command.action([roofline, options, &common] {
    require_only(roofline, {}, "study, whose options come behind it");
    run(*options, common);
  });
}

}  // namespace flopcast::cli
