
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/cli/command.hpp"
#include "flopcast/cli/interrupt.hpp"
#include "flopcast/cli/library_options.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/sample/tables.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/call_list.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/measure/memory.hpp"
#include "flopcast/measure/sampler.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer = R"(Cache states:
  warm                      the operands were just used by the same call, and filled anew where it decides by them
  cold                      they lie in no cache: their lines were flushed
  cold:sweep, cold:fresh    the same by reading more than caches hold, or by using other operands for each call
  L2                        all operands lie in this cache, those larger than it in the next one
  A=L1,B=memory,C=L2:dirty  each operand in a cache level, the others in the innermost that holds them
  replay:C,64KiB,A,B        after accesses to operands and to so much other memory, in this order

Examples:
  flopcast sample dgemm m=100:500:100 n=100 k=100
  flopcast sample dtrsm side=L uplo=L m=256 n=256 --cache warm --cache cold --repetitions 20
  flopcast sample ddot n=1000 --raw --csv
  echo '["dgemm m=64 n=64 k=64", "dsyrk n=64 k=32:64:16"]' | flopcast sample --calls - --json)";

struct SampleOptions {
  std::string routine;
  std::vector<std::string> arguments;
  std::string calls_file;
  std::vector<std::string> caches = {"warm"};
  std::int64_t repetitions = 0, batch = 0;
  std::string time_budget;
  double interval = 0;
  std::string clock = "wall";
  std::uint64_t seed = 1;
  bool raw = false, no_normalise = false, dry_run = false, store = true;
  machine::LibraryChoice libraries;
};

std::vector<Call> requested_calls(const SampleOptions& options) {
  if (options.calls_file.empty() == options.routine.empty()) {
    throw usage_error("give either a routine with its arguments, such as 'dgemm m=100 n=100 k=100', or --calls FILE");
  }
  std::vector<Call> calls =
      options.calls_file.empty() ? kernel::expand_calls(options.routine, options.arguments) : kernel::read_calls(options.calls_file);
  if (calls.empty()) {
    throw bad_input("{}: there are no calls in it", options.calls_file);
  }
  for (Call& call : calls) {
    call.threads = options.libraries.threads;
  }
  return calls;
}

measure::SessionOptions session_options(const SampleOptions& options) {
  constexpr std::int64_t max_until_precise = 1000;
  measure::SessionOptions session;
  session.clock = options.clock == "cpu" ? measure::Clock::cpu : measure::Clock::wall;
  session.seed = options.seed;
  session.normalise = !options.no_normalise;
  session.stop.relative_interval = options.interval;
  if (options.interval > 0) {
    session.stop.max_repetitions = options.repetitions > 0 ? options.repetitions : max_until_precise;
  } else if (options.repetitions > 0) {
    session.stop.min_repetitions = session.stop.max_repetitions = options.repetitions;
  }
  return session;
}

/// The time budget, if there is one.
std::optional<Seconds> time_budget(const SampleOptions& options) {
  return options.time_budget.empty() ? std::nullopt : std::optional(parse_duration(options.time_budget, "--time-budget"));
}

/// Goes on until Ctrl-C, or until the time budget has passed since now.
measure::Progress limited_progress(std::optional<Seconds> budget, const CommonOptions& common) {
  return [show = run_context(common).step("sampling"), budget, watch = Stopwatch()](std::int64_t done, std::int64_t expected) {
    return show(done, expected) && (!budget || watch.elapsed() < *budget);
  };
}

nlohmann::json document(const std::vector<SampledCall>& sampled, const measure::Session& session) {
  nlohmann::json samples = nlohmann::json::array();
  for (const SampledCall& one : sampled) {
    nlohmann::json item = one.sample;
    item["call"] = kernel::format_call(one.call);
    item["cache"] = one.cache;
    item["flops"] = flops(one.call);
    item["footprint_bytes"] = footprint_bytes(one.call);
    const Summary summary = summarise(one.sample.times());
    if (summary.count > 0) {
      item["statistics"] = {{"count", summary.count},
                            {"minimum", summary.minimum},
                            {"first_quartile", summary.first_quartile},
                            {"median", summary.median},
                            {"third_quartile", summary.third_quartile},
                            {"maximum", summary.maximum},
                            {"mean", summary.mean},
                            {"standard_deviation", summary.standard_deviation},
                            {"median_interval_95", {summary.median_interval.low, summary.median_interval.high}}};
    }
    samples.push_back(std::move(item));
  }
  const measure::SessionOptions& options = session.options();
  return {{"schema", "flopcast-samples-1"},
          {"environment", session.environment()},
          {"huge_pages", measure::huge_pages_setting()},
          {"options",
           {{"clock", options.clock == measure::Clock::cpu ? "cpu" : "wall"},
            {"seed", options.seed},
            {"normalise", options.normalise},
            {"reference_seconds", session.reference_time()},
            {"minimum_repetitions", options.stop.min_repetitions},
            {"maximum_repetitions", options.stop.max_repetitions},
            {"relative_interval", options.stop.relative_interval},
            {"confidence", options.stop.confidence}}},
          {"samples", std::move(samples)}};
}

void show_plan(const std::vector<measure::SamplePoint>& points, const std::vector<SampledCall>& sampled, const Environment& environment,
               const CommonOptions& common) {
  report::Table table;
  table.columns = {{"call", report::Align::left},
                   {"cache", report::Align::left},
                   {"flops"},
                   {"footprint", report::Align::right, "footprint_bytes"},
                   {"batch"}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const measure::Experiment experiment = measure::experiment(points[i].call, points[i].precondition, environment, points[i].batch);
    const auto bytes = static_cast<double>(footprint_bytes(points[i].call));
    table.rows.push_back({kernel::format_call(points[i].call), sampled[i].cache,
                          report::Cell(flops(points[i].call), fmt::format("{:.4g}", flops(points[i].call))),
                          report::Cell(bytes, format_bytes(bytes)), report::whole(experiment.batch)});
  }
  emit(table, common);
}

void store_samples(const Workbench& bench, model::Store& store, const measure::Session& session, const std::vector<SampledCall>& sampled) {
  std::vector<Sample> measured;
  for (const SampledCall& one : sampled) {
    if (!one.sample.repetitions.empty()) {
      measured.push_back(one.sample);
    }
  }
  if (session.options().normalise) {
    bench.keep_reference(store, session);
  }
  store.put_environment(bench.environment());
  store.add_samples(measured);
}

/// Normalised times refer to the speed the machine had when its reference was first kept: says so if it is another one now.
void note_speed(const std::vector<SampledCall>& sampled, const CommonOptions& common) {
  constexpr double usual = 1.2;
  std::vector<double> drifts;
  for (const SampledCall& one : sampled) {
    for (const Repetition& repetition : one.sample.repetitions) {
      drifts.push_back(repetition.drift);
    }
  }
  const double drift = median(drifts);
  if (drift > usual || drift < 1 / usual) {
    note(fmt::format(
             "note: the reference kernel takes {:.2f} times as long as in the session that times are normalised to; --no-normalise shows "
             "times as they are now",
             drift),
         common);
  }
}

void show(const SampleOptions& options, const std::vector<SampledCall>& sampled, const measure::Session& session,
          const CommonOptions& common) {
  if (common.json) {
    emit(document(sampled, session), common);
    return;
  }
  std::vector<std::string> notes;
  const report::Table statistics = statistics_table(sampled, notes);
  emit(options.raw ? repetitions_table(sampled) : statistics, common);
  for (std::size_t i = 0; i < notes.size(); ++i) {
    note(fmt::format("note {}: {}", i + 1, notes[i]), common);
  }
}

void run_sample(const SampleOptions& options, const CommonOptions& common) {
  const std::vector<Call> calls = requested_calls(options);
  const std::optional<Seconds> budget = time_budget(options);  // refused before anything is opened
  const Workbench bench = Workbench::opened(options.libraries, run_context(common));
  std::vector<measure::SamplePoint> points;
  std::vector<SampledCall> sampled;
  for (const Call& call : calls) {
    for (const std::string& cache : options.caches) {
      points.push_back({call, measure::parse_precondition(cache, call, bench.environment()), options.batch});
      sampled.push_back({call, cache, {}});
    }
  }
  if (options.dry_run) {
    show_plan(points, sampled, bench.environment(), common);
    return;
  }
  model::Store store = open_store(run_context(common));
  measure::Session session = bench.session(store, session_options(options));
  std::vector<Sample> samples = measure::sample(session, points, limited_progress(budget, common));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    sampled[i].sample = std::move(samples[i]);
  }
  if (options.store) {
    store_samples(bench, store, session, sampled);
  }
  show(options, sampled, session, common);
  note_speed(sampled, common);
  throw_if_interrupted(options.store ? "what was measured is shown and kept in the store" : "what was measured is shown");
}

}  // namespace

void add_sample_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<SampleOptions>();
  OptionSet command = app.add_command("sample", "Time calls of BLAS and LAPACK routines in stated cache states");
  command.option("routine", options->routine, "Routine, e.g. dgemm");
  command.option("arguments", options->arguments, "Sizes (or ranges FIRST:LAST:STEP), flags, scalars, leading dimensions")
      .placeholder("NAME=VALUE ...");
  command.option("--calls", options->calls_file, "Calls from a JSON array of texts like the arguments above; - is standard input")
      .placeholder("FILE");
  command.option("--cache", options->caches, "Cache state before each call, see below; may be repeated").placeholder("STATE").repeatable();
  command.option("--repetitions", options->repetitions, "Repetitions of each call (default: 7, down to 3 for calls over 30 ms)")
      .range(1, 1000000);
  command.option("--interval", options->interval, "Repeat until the median's 99 % interval lies within +- this fraction").range(0.0, 1.0);
  command.option("--time-budget", options->time_budget, "Stop after this time, e.g. 30s or 5min").placeholder("DURATION");
  command.option("--batch", options->batch, "Calls timed together (default: as many as take 20 us)").range(1, 1000000);
  command.option("--clock", options->clock, "wall, or the process's cpu time").choices({"wall", "cpu"}).show_default();
  add_seed_option(command, options->seed, "Of the random order and the operands' values");
  add_library_options(command, options->libraries);
  command.flag("--raw", options->raw, "Print every repetition instead of statistics");
  command.flag("--no-normalise", options->no_normalise, "Don't divide times by the drift of the reference kernel (dgemm 256)");
  command.flag("--store,!--no-store", options->store, "Keep every repetition in the store (on unless --no-store)");
  command.flag("--dry-run", options->dry_run, "Only print what would be measured");
  command.footer(footer);
  command.action([options, &common] { run_sample(*options, common); });
}

}  // namespace flopcast::cli
