// Compares ways of searching the best dgemm, as in Tables VIII to XI of Tørring et al. 2021: the paper's techniques, the race and
// successive halving. In what share of trials does the race find a shape within 2 % of the best, and how much cheaper is it than the
// paper's Default? The techniques measure in fresh processes, the race and halving in one process. At the end the shapes that the searches
// found are timed 25 times each, interleaved; rates are upper quartiles, as for every roof. Default takes hours on the larger spaces, but
// its counts are fixed: its time is computed where Single is run.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bench/baselines/study.hpp"
#include "flopcast/cli/shared/command_line.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/roofline/gemm_process.hpp"
#include "flopcast/roofline/roof.hpp"
#include "flopcast/support/stopwatch.hpp"

namespace {

using namespace flopcast;

/// Returns an invocation as in Tørring et al. 2021: a fresh process, one warm-up call, then one timed call per iteration. Costs are seconds
/// per flop.
bench::Invocation gemm_invocation(const roofline::GemmSetup& setup, const roofline::GemmSpace& space) {
  return [&setup, &space](std::size_t i) -> bench::Iteration {
    roofline::GemmSetup own = setup;
    own.elements = space.shapes[i].elements();
    auto process = std::make_shared<roofline::GemmProcess>(own);
    process->time(space.shapes[i], 0, 1);
    return [process, &shape = space.shapes[i]] { return process->time(shape, 0, 1) / shape.flops(); };
  };
}

bench::StudyServices sources_of(const roofline::GemmSetup& setup, const roofline::GemmSpace& space) {
  return {gemm_invocation(setup, space),
          [&] {
            auto process = std::make_shared<roofline::GemmProcess>(setup);
            return search::Evaluator([process, &space, threads = setup.threads](std::size_t i) {
              return time_once(*process, space.shapes[i], threads) / space.shapes[i].flops();
            });
          },
          [watch = Stopwatch()] { return watch.elapsed(); }};
}

/// Returns the seconds of Default, ten invocations of 200 calls or 10 s for every shape, at the times that Single measured; 0 without
/// Single. A process costs the time of Single per shape minus its two calls, one of which warms up.
Seconds default_seconds(const bench::Study& study, const roofline::GemmSpace& space) {
  Seconds sum = 0;
  int runs = 0;
  for (const bench::StudyRun& run : study.runs) {
    if (run.technique != "Single") {
      continue;
    }
    Seconds calls = 0;
    for (const bench::Trial& trial : run.trials) {
      calls += space.shapes[trial.configuration].flops() / trial.rate;
    }
    const Seconds start = std::max(0.0, (run.seconds - 2 * calls) / static_cast<double>(run.trials.size()));
    for (const bench::Trial& trial : run.trials) {
      const Seconds call = space.shapes[trial.configuration].flops() / trial.rate;
      sum += 10 * (start + call + call * std::min(200.0, std::ceil(10 / call)));
    }
    ++runs;
  }
  return runs == 0 ? 0 : sum / runs;
}

void add_rows(report::Table& table, const roofline::GemmSetup& setup, const roofline::GemmSpace& space,
              const bench::StudyOptions& options) {
  const auto percent = [](double share) { return report::Cell(share, fmt::format("{:.1f} %", 100 * share)); };
  const auto where = [](bool known, const report::Cell& cell) { return known ? cell : report::Cell(""); };
  const bench::Study study = run_study(space.shapes.size(), sources_of(setup, space), options);
  const Seconds computed = default_seconds(study, space);
  for (const bench::StudyRow& row : summarise(study, options)) {
    const double speedup = row.speedup > 0 ? row.speedup : computed / row.seconds;
    table.rows.push_back({setup.library,
                          report::whole(setup.threads),
                          row.technique,
                          to_string(space.shapes[row.leader]),
                          where(row.found > 0, {row.found, format_flop_rate(row.found)}),
                          {row.rate, format_flop_rate(row.rate)},
                          percent(row.of_best),
                          percent(row.success),
                          report::whole(row.trials),
                          where(bench::searches_in_one_process(row.technique), percent(row.decided)),
                          report::whole(row.evaluations),
                          {row.seconds, format_seconds(row.seconds)},
                          where(speedup > 0, {speedup, fmt::format("{:.2f}x", speedup)})});
  }
  if (computed > 0) {
    std::printf("Default takes %s with %s, computed from Single\n", format_seconds(computed).c_str(), setup.library.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  cli::CommandLine line("roofline_study", "Compares ways of searching the best dgemm: published techniques, racing, halving");
  cli::OptionSet app = line.options();
  std::vector<std::string> libraries = {"openblas-serial"};
  std::string space = "reduced", judge = "space";
  int threads = 1;
  bench::StudyOptions study;
  study.techniques = {"Single", "C+I+Outer", "C+I+O+R", "race", "halving"};
  app.option("--blas", libraries, "libraries whose dgemm is searched").comma_separated();
  app.option("--threads", threads, "threads of the library").show_default();
  app.option("--space", space, "space of shapes").choices({"brief", "reduced", "full"}).show_default();
  app.option("--techniques", study.techniques,
             "searches, with settings behind colons as in C+Inner:minimum-count=100, or Default:invocations=1:iterations=50 (default: "
             "Single,C+I+Outer,C+I+O+R,race,halving)")
      .comma_separated();
  app.option("--trials", study.trials, "searches with each technique").show_default();
  app.option("--tolerance", study.tolerance, "share that a successful search's shape may lose to the best one").show_default();
  app.option("--judge", judge, "shapes that are timed at the end to tell the best one").choices({"found", "space"}).show_default();
  app.option("--seed", study.seed, "seed of random orders").show_default();
  return line.run(argc, argv, [&] {
    study.judge_space = judge == "space";
    const roofline::GemmSpace shapes = roofline::gemm_space(space);
    report::Table table;
    table.columns = {{"library", report::Align::left},
                     {"threads"},
                     {"technique", report::Align::left},
                     {"best m x n x k"},
                     {"it found"},
                     {"rate"},
                     {"of the best"},
                     {"success"},
                     {"trials"},
                     {"decided"},
                     {"evaluations"},
                     {"time"},
                     {"Default / it"}};
    for (const std::string& library : libraries) {
      roofline::GemmSetup setup;
      setup.library = library;
      setup.threads = threads;
      setup.cpus = machine::choose_cpus(machine::detect_topology().places, threads, setup.affinity);
      setup.elements = shapes.elements();
      add_rows(table, setup, shapes, study);
    }
    std::fputs(report::to_text(table).c_str(), stdout);
  });
}
