// Measures the sources of prediction errors for one algorithm, order and block size. One interleaved run times three things: the whole
// algorithm after a warm-up run, all its kernel calls in sequence, and every k-th call in its recreated context. Models on demand sample
// calls in such contexts. With --alone each sampled call is also timed without context. Its operands are then placed as `sample` places
// them, with the vector units asleep or woken.
// Prints the sums per kernel.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <vector>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/cache/placement.hpp"
#include "flopcast/cli/shared/command_line.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/measure/placed_call.hpp"
#include "flopcast/measure/precondition.hpp"
#include "flopcast/measure/session.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/tune/segment.hpp"

namespace {

using namespace flopcast;

struct Options {
  std::string routine = "dgeqrf", variant;
  std::int64_t n = 800, nb = 32, nx = 128, step = 5;
  std::int64_t repetitions = 7;
  bool disturbed = false, details = false, alone = false;
  tuning::SegmentOptions segments;
  std::string blas, lapack;
};

Seconds median_of(const std::vector<Repetition>& repetitions) {
  std::vector<Seconds> times;
  for (const Repetition& repetition : repetitions) {
    if (!repetition.discarded) {
      times.push_back(repetition.normalised());
    }
  }
  return median(times);
}

struct Sums {
  std::int64_t calls = 0;
  Seconds in_sequence = 0;          ///< time of all calls
  Seconds sampled_in_sequence = 0;  ///< time of the calls that were also sampled
  Seconds sampled = 0;
  Seconds alone_in_sequence = 0, asleep = 0, woken = 0, twin = 0;  ///< times of the calls that were timed alone
};

/// Returns `call` with small operands in other memory; executing the copy brings the routine's code into the caches.
Call twin_of(Call call) {
  const Operands all = operands(call);
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    const Kind kind = call.routine->arguments[i].kind;
    if (kind == Kind::size) {
      call.arguments[i] = std::min<std::int64_t>(call.arguments[i], 32);
    } else if (kind == Kind::leading_dimension) {
      call.arguments[i] = 32;
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    call.arguments[all[i].argument] = static_cast<std::int64_t>(virtual_base(all.size() + 8 + i));
  }
  return call;
}

/// Returns experiments for the call at `at` without context: with the vector units asleep, woken, and woken after the call's twin.
std::array<measure::Experiment, 3> alone(const Trace& trace, const std::vector<Placement>& placements, std::size_t at,
                                         const Environment& environment) {
  measure::Precondition precondition;
  precondition.state = measure::Precondition::State::placed;
  precondition.placement = placements[at];
  measure::Experiment asleep = measure::experiment(trace.calls[at], precondition, environment);
  measure::Experiment woken = asleep;
  asleep.wake = false;
  measure::Experiment twin = woken;
  const Call small = twin_of(trace.calls[at]);
  twin.setup.insert(twin.setup.begin(), {.what = measure::Action::What::fill, .call = small});
  twin.setup.push_back({.what = measure::Action::What::execute, .call = small});
  twin.memory = measure::memory_of(twin.timed, twin.setup);
  return {asleep, woken, twin};
}

void run(const Options& options) {
  const machine::LibrarySet libraries =
      machine::LibrarySet::open(options.blas, options.lapack.empty() ? machine::default_lapack() : options.lapack);
  libraries.set_threads(1);
  const Environment environment = machine::detect(libraries);
  const std::string order = std::to_string(options.n);
  const Routine& routine = kernel::require(options.routine);
  std::map<std::string, std::string> arguments = {{"n", order}, {"lda", order}};
  if (routine.index("m") >= 0) {
    arguments["m"] = order;
  }
  const Call call = kernel::parse_call(routine, arguments);
  const algorithm::BlockParameters blocks{options.nb, 2, options.nx};
  const algorithm::Algorithm& algorithm = algorithm::require(routine, options.variant);
  const Trace trace = algorithm::record(call, blocks, algorithm);
  const std::vector<Placement> placements = cache::cache_state(trace, environment.caches, cache::Start::filled).placements;

  std::vector<measure::Experiment> experiments(2);
  experiments[0].memory = trace.allocations;
  Call whole = algorithm::with_workspace(call, blocks, algorithm);
  std::size_t next = 0;
  for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
    const Kind kind = routine.arguments[i].kind;
    if (kind == Kind::data || kind == Kind::work || kind == Kind::pivots) {
      whole.arguments[i] = static_cast<std::int64_t>(virtual_base(next++));
    }
  }
  experiments[0].setup = {{.what = measure::Action::What::fill, .call = whole}};
  experiments[0].timed = trace.calls;
  const auto runtime = std::make_shared<algorithm::Runtime>([&](std::string_view name) { return libraries.find(name); });
  experiments[1].memory = trace.allocations;
  experiments[1].timed = {whole};
  experiments[1].perform = [&](const Call& run) { return algorithm::execute(run, blocks, runtime, algorithm); };
  experiments[1].setup = {{.what = measure::Action::What::fill, .call = whole},
                          {.what = measure::Action::What::perform, .call = whole},
                          {.what = measure::Action::What::fill, .call = whole}};
  std::vector<tuning::TimedSegment> segments;
  std::vector<Seconds> costs;
  for (const Call& kernel : trace.calls) {
    costs.push_back(flops(kernel) / 3e10 + 1e-6);
  }
  for (std::size_t at = 0; at < trace.calls.size(); at += static_cast<std::size_t>(options.step)) {
    segments.push_back(tuning::segment_around(trace, placements, costs, at, options.segments));
    experiments.push_back(tuning::experiment(trace, placements, segments.back(), environment));
  }
  const std::size_t in_context = experiments.size();
  for (const tuning::TimedSegment& segment : segments) {
    for (std::size_t at = segment.begin; options.alone && at < std::min(segment.begin + 1, segment.end); ++at) {
      for (measure::Experiment& experiment : alone(trace, placements, at, environment)) {
        experiments.push_back(std::move(experiment));
      }
    }
  }
  if (options.disturbed) {
    for (measure::Experiment& experiment : experiments) {
      experiment.setup.insert(experiment.setup.begin(), {.what = measure::Action::What::flush_all});
    }
  }
  measure::SessionOptions session_options;
  session_options.stop.max_repetitions = options.repetitions;
  measure::Session session(libraries, environment, session_options);
  const std::vector<measure::Timings> timings = session.run(experiments);

  std::map<std::string, Sums> sums;
  for (std::size_t c = 0; c < trace.calls.size(); ++c) {
    Sums& sum = sums[trace.calls[c].routine->name];
    ++sum.calls;
    sum.in_sequence += median_of(timings[0].calls[c]);
  }
  for (std::size_t s = 0; s < segments.size(); ++s) {
    if (options.details) {
      std::printf("calls %zu ... %zu after %zu:", segments[s].begin, segments[s].end - 1, segments[s].context);
      for (std::size_t c = 0; c < timings[s + 2].calls.size(); ++c) {
        const std::size_t at = segments[s].begin + c;
        std::printf(" %s %.2f", trace.calls[at].routine->name.c_str(),
                    median_of(timings[s + 2].calls[c]) / median_of(timings[0].calls[at]));
      }
      std::printf("\n");
    }
    for (std::size_t c = 0; c < timings[s + 2].calls.size(); ++c) {
      const std::size_t at = segments[s].begin + c;
      Sums& sum = sums[trace.calls[at].routine->name];
      sum.sampled += median_of(timings[s + 2].calls[c]);
      sum.sampled_in_sequence += median_of(timings[0].calls[at]);
    }
    for (const std::string& warning : timings[s + 2].warnings) {
      std::fprintf(stderr, "%s\n", warning.c_str());
    }
  }
  for (std::size_t s = 0, e = in_context; options.alone && s < segments.size(); ++s, e += 3) {
    const std::size_t at = segments[s].begin;
    Sums& sum = sums[trace.calls[at].routine->name];
    sum.alone_in_sequence += median_of(timings[0].calls[at]);
    sum.asleep += median_of(timings[e].calls[0]);
    sum.woken += median_of(timings[e + 1].calls[0]);
    sum.twin += median_of(timings[e + 2].calls[0]);
  }
  report::Table table;
  table.columns = {{"kernel", report::Align::left}, {"calls"}, {"in sequence"}, {"sampled in context / in sequence"}};
  if (options.alone) {
    table.columns.insert(table.columns.end(), {{"alone / in sequence"}, {"woken"}, {"woken after its twin"}});
  }
  for (const auto& [name, sum] : sums) {
    table.rows.push_back({name,
                          report::whole(sum.calls),
                          {sum.in_sequence, format_seconds(sum.in_sequence)},
                          {sum.sampled / sum.sampled_in_sequence, fmt::format("{:.3f}", sum.sampled / sum.sampled_in_sequence)}});
    for (const Seconds total : {sum.asleep, sum.woken, sum.twin}) {
      if (options.alone) {
        table.rows.back().push_back({total / sum.alone_in_sequence, fmt::format("{:.3f}", total / sum.alone_in_sequence)});
      }
    }
  }
  std::fputs(report::to_text(table).c_str(), stdout);
  const Seconds run = median_of(timings[1].calls[0]);
  Seconds sequence = 0;
  for (const auto& [name, sum] : sums) {
    sequence += sum.in_sequence;
  }
  std::printf("the whole algorithm takes %s; its calls in sequence take %.3f times as long\n", format_seconds(run).c_str(), sequence / run);
}

}  // namespace

int main(int argc, char** argv) {
  cli::CommandLine line("error_sources", "Measures the sources of prediction errors");
  cli::OptionSet app = line.options();
  Options options;
  app.option("--routine", options.routine).show_default();
  app.option("--variant", options.variant, "variant of the algorithm (default: LAPACK's)");
  app.option("-n", options.n).show_default();
  app.option("--nb", options.nb).show_default();
  app.option("--nx", options.nx).show_default();
  app.option("--step", options.step, "distance between sampled calls, in calls").show_default();
  app.option("--repetitions", options.repetitions).show_default();
  app.flag("--disturbed", options.disturbed, "push all data out of the caches before each experiment, as other experiments do");
  app.flag("--alone", options.alone, "also time the first call of every sampled segment without context");
  app.flag("--details", options.details, "print every sampled segment, call by call, relative to the calls in sequence");
  app.option("--context-share", options.segments.context_share, "maximum time of a context, relative to the sampled call").show_default();
  app.option("--least-context", options.segments.min_context, "time of a context that is always allowed, in seconds").show_default();
  app.option("--warm-up", options.segments.warm_up, "minimum time of a context, in seconds").show_default();
  app.option("--far-warm-up", options.segments.far_warm_up,
             "minimum time of the context of a call with an operand in the last cache, in seconds")
      .show_default();
  app.option("--most-context-calls", options.segments.max_context_calls).show_default();
  app.option("--blas", options.blas);
  app.option("--lapack", options.lapack);
  return line.run(argc, argv, [&] { run(options); });
}
