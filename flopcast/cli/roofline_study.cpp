#include "flopcast/cli/roofline_study.hpp"

#include <memory>
#include <string>
#include <vector>

#include "flopcast/cli/interrupt.hpp"
#include "flopcast/cli/kernel_choice.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/roofline_options.hpp"
#include "flopcast/cli/stopwatch.hpp"
#include "flopcast/cli/workbench.hpp"
#include "flopcast/core/error.hpp"
#include "flopcast/core/units.hpp"
#include "flopcast/machine/detect.hpp"
#include "flopcast/machine/digest.hpp"
#include "flopcast/machine/installed.hpp"
#include "flopcast/roofline/gemm_roof.hpp"
#include "flopcast/roofline/study.hpp"

namespace flopcast::cli {
namespace {

using roofline::StudyRow;
using roofline::StudyState;

constexpr const char* artifact = "roofline-study";
constexpr const char* footer =
    R"(The published techniques (docs/roofline.md) with iterations in fresh processes, beside the race and successive halving in one
process. What is measured is kept after every shape: run it again to go on. 'Default' takes hours on the
larger spaces. What the searches found is timed once more, interleaved, 25 times each: the rates in the table are these medians.

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
  flopcast roofline study --m 64,128 --n 64 --k 32,64 --techniques C+I+Outer,race --csv
  flopcast roofline study --m 64,128 --n 64 --k 32 --techniques C+Inner,C+Inner:minimum-count=100,Default:invocations=1:iterations=50)";

struct StudyCommandOptions {
  RooflineOptions shared;  ///< blas (one), kernels, threads, affinity, space
  roofline::StudyOptions study;
  std::string time_budget;
  std::string judge = "found";
  bool fresh = false;
};

roofline::GemmSetup gemm_setup(const RooflineOptions& options, const roofline::GemmSpace& space, const CommonOptions& common) {
  const machine::Topology topology = machine::detect_topology();
  LibraryOptions library;
  library.blas = options.blas.empty() ? machine::default_blas() : options.blas.front();
  library.kernels = options.kernels;
  roofline::GemmSetup setup;
  setup.library = library.blas;
  setup.threads = options.threads > 0 ? options.threads : 1;
  setup.affinity = machine::parse_affinity(options.affinity);
  setup.cpus = machine::choose_cpus(topology.places, setup.threads, setup.affinity);
  setup.settings = choose_kernels(library, common);
  setup.elements = space.elements();
  return setup;
}

/// Tells studies apart that can't be continued by each other.
std::string key_of(const roofline::GemmSetup& setup, const roofline::GemmSpace& space, const StudyCommandOptions& options) {
  std::string text = fmt::format("{} {} {} {} {} {}", machine::hardware_fingerprint(machine::detect_topology()),
                                 machine::locate(setup.library, machine::Role::blas).string(), setup.threads, options.study.seed,
                                 options.study.tolerance, options.study.error_probability);
  for (const auto& [variable, value] : setup.settings) {
    text += ' ' + variable + '=' + value;
  }
  for (const roofline::GemmShape& shape : space.shapes) {
    text += ' ' + to_string(shape);
  }
  if (!options.shared.order.empty()) {
    text += ' ' + options.shared.order;
  }
  return machine::hexadecimal_digest(text);
}

report::Table table_of(const std::vector<StudyRow>& rows, const roofline::GemmSpace& space, double tolerance) {
  report::Table table;
  table.columns = {{"technique", report::Align::left},
                   {"best m x n x k"},
                   {"rate"},
                   {"of the best"},
                   {fmt::format("within {:g} %", 100 * tolerance)},
                   {"trials"},
                   {"settled"},
                   {"evaluations"},
                   {"time"},
                   {"speedup"}};
  for (const StudyRow& row : rows) {
    const auto judged = [&row](double value, std::string text) {
      return row.rate > 0 ? report::Cell(value, std::move(text)) : report::Cell("");
    };
    const bool searched = roofline::searches_in_one_process(row.technique);
    table.rows.push_back({row.technique, to_string(space.shapes.at(row.leader)), judged(row.rate, format_flop_rate(row.rate)),
                          judged(row.of_best, fmt::format("{:.1f} %", 100 * row.of_best)),
                          judged(row.success, fmt::format("{:.0f} %", 100 * row.success)), report::whole(row.trials),
                          searched ? report::Cell(row.settled, fmt::format("{:.0f} %", 100 * row.settled)) : report::Cell(""),
                          report::whole(row.evaluations), report::Cell(row.seconds, format_seconds(row.seconds)),
                          row.speedup > 0 ? report::Cell(row.speedup, fmt::format("{:.2f}x", row.speedup)) : report::Cell("")});
  }
  return table;
}

nlohmann::json document_of(const std::vector<StudyRow>& rows, const StudyState& state, const roofline::GemmSetup& setup,
                           const roofline::GemmSpace& space) {
  nlohmann::json lines = nlohmann::json::array(), shapes = nlohmann::json::array();
  for (const StudyRow& row : rows) {
    lines.push_back({{"technique", row.technique},
                     {"trials", row.trials},
                     {"leader", row.leader},
                     {"flops_per_second", row.rate},
                     {"of_best", row.of_best},
                     {"success", row.success},
                     {"settled", row.settled},
                     {"seconds", row.seconds},
                     {"evaluations", row.evaluations},
                     {"speedup", row.speedup}});
  }
  for (const roofline::GemmShape& shape : space.shapes) {
    shapes.push_back({shape.m, shape.n, shape.k});
  }
  return {{"schema", "flopcast-roofline-study-1"},
          {"library", setup.library},
          {"threads", setup.threads},
          {"settings", setup.settings},
          {"shapes", shapes},
          {"rows", lines},
          {"state", state}};
}

/// Costs are seconds per flop, measured in one process that lasts as long as the evaluator.
search::Evaluator one_process(const roofline::GemmSetup& setup, const roofline::GemmSpace& space) {
  auto process = std::make_shared<roofline::GemmProcess>(setup);
  return [process, &space, threads = setup.threads](std::size_t i) {
    return time_once(*process, space.shapes[i], threads) / space.shapes[i].flops();
  };
}

void run(const StudyCommandOptions& options, const CommonOptions& common) {
  const roofline::GemmSpace space = requested_space(options.shared);
  require_memory(space);
  const std::vector<std::string> known = roofline::study_techniques();
  const Seconds budget = options.time_budget.empty() ? 0 : parse_duration(options.time_budget, "--time-budget");
  const roofline::GemmSetup setup = gemm_setup(options.shared, space, common);
  model::Store store = open_store(common);
  const std::string key = key_of(setup, space, options);
  StudyState state;
  if (const auto kept = store.find_artifact(artifact, key); kept && !options.fresh) {
    state = kept->get<StudyState>();
  }
  roofline::StudyOptions study = options.study;
  study.techniques = study.techniques.empty() ? known : study.techniques;
  study.order = requested_order(options.shared);
  study.judge_space = options.judge == "space";
  const Stopwatch watch;
  roofline::StudySources sources;
  sources.invoke = gemm_invocation(setup, space);
  sources.evaluator = [&] { return one_process(setup, space); };
  sources.clock = [watch] { return watch.elapsed(); };
  sources.interrupted = [watch, budget] { return interrupted() || (budget > 0 && watch.elapsed() > budget); };
  const auto expected = static_cast<std::int64_t>(study.techniques.size() * static_cast<std::size_t>(study.trials) * space.shapes.size());
  sources.keep = [&, show = progress("study", common)](const StudyState& now) {
    store.put_artifact(artifact, key, now);
    std::int64_t done = 0;
    for (const roofline::StudyRun& one : now.runs) {
      done += static_cast<std::int64_t>(one.complete ? space.shapes.size() : one.finished.size());
    }
    show(done, expected);
  };
  const bool complete = run_study(space.shapes.size(), sources, study, state);
  throw_if_interrupted("what was measured is kept; run it again to go on");
  if (!complete) {
    note("the time budget is used up; what was measured is kept: run it again to go on", common);
  }
  const std::vector<StudyRow> rows = summarise(state, study);
  if (common.json) {
    emit(document_of(rows, state, setup, space), common);
  } else {
    emit(table_of(rows, space, study.tolerance), common);
  }
}

}  // namespace

void add_roofline_study(CLI::App& roofline, CommonOptions& common) {
  auto options = std::make_shared<StudyCommandOptions>();
  CLI::App* command = roofline.add_subcommand("study", "Compare ways of searching the best dgemm: published techniques, racing, halving");
  RooflineOptions& shared = options->shared;
  command->add_option("--blas", shared.blas, "BLAS library")->type_name("LIBRARY")->expected(1);
  command->add_option("--kernels", shared.kernels, "auto or library, as for roofline")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "library"}));
  command->add_option("--threads", shared.threads, "threads (default: 1)")->check(CLI::Range(1, 4096));
  command->add_option("--affinity", shared.affinity, "close or spread")->capture_default_str()->check(CLI::IsMember({"close", "spread"}));
  command->add_option("--space", shared.space, "brief, reduced or full, as for roofline")
      ->check(CLI::IsMember({"brief", "reduced", "full"}));
  command->add_option("--m", shared.m, "sizes of a space of one's own")->type_name("SIZES");
  command->add_option("--n", shared.n, "the same")->type_name("SIZES");
  command->add_option("--k", shared.k, "the same")->type_name("SIZES");
  command
      ->add_option("--techniques", options->study.techniques,
                   "some of Default, Single, Confidence, C+Inner, C+Inner+R, C+I+Outer, C+I+O+R, race, halving (default: all), "
                   "with settings (below) as in C+Inner:minimum-count=100")
      ->type_name("LIST")
      ->delimiter(',');
  command->add_option("--order", shared.order, order_help)->type_name("ORDER");
  command->add_option("--trials", options->study.trials, "searches with each technique")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000));
  command->add_option("--tolerance", options->study.tolerance, "what counts as success; also the race's")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 0.9));
  command
      ->add_option("--judge", options->judge,
                   "what is timed at the end to tell which shape is the best: found by a search, or all of the space")
      ->capture_default_str()
      ->check(CLI::IsMember({"found", "space"}));
  command->add_option("--time-budget", options->time_budget, "stop after this time; a later run goes on")->type_name("DURATION");
  command->add_option("--seed", options->study.seed, "of random orders")->capture_default_str()->check(CLI::NonNegativeNumber);
  command->add_flag("--fresh", options->fresh, "begin anew instead of going on");
  command->footer(footer);
  command->callback([options, &common] { run(*options, common); });
}

}  // namespace flopcast::cli
