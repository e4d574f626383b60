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

struct SourceOptions {
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

struct RoutineSums {
  std::int64_t calls = 0;
  Seconds in_sequence = 0;          ///< time of all calls
  Seconds sampled_in_sequence = 0;  ///< time of the calls that were also sampled
  Seconds sampled = 0;
  Seconds alone_in_sequence = 0, asleep = 0, woken = 0, after_copy = 0;  ///< times of the calls that were timed alone
};

/// Returns `call` with small operands in other memory; executing the copy brings the routine's code into the caches.
Call small_copy_of(Call call) {
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

/// Returns experiments for the call at `at` without context: with the vector units asleep, woken, and woken after a small copy of the call.
std::array<measure::Experiment, 3> alone(const Trace& trace, const std::vector<Placement>& placements, std::size_t at,
                                         const Environment& environment) {
  measure::Precondition precondition;
  precondition.state = measure::Precondition::State::placed;
  precondition.placement = placements[at];
  measure::Experiment asleep = measure::experiment(trace.calls[at], precondition, environment);
  measure::Experiment woken = asleep;
  asleep.wake = false;
  measure::Experiment after_copy = woken;
  const Call small = small_copy_of(trace.calls[at]);
  after_copy.setup.insert(after_copy.setup.begin(), {.what = measure::Action::What::fill, .call = small});
  after_copy.setup.push_back({.what = measure::Action::What::execute, .call = small});
  after_copy.memory = measure::memory_of(after_copy.timed, after_copy.setup);
  return {asleep, woken, after_copy};
}

/// An algorithm's call, the calls that it makes, and where their operands lie then.
struct PredictedCall {
  const SourceOptions& options;
  const Environment& environment;
  Call call;
  algorithm::BlockParameters blocks;
  const algorithm::Algorithm& algorithm;
  Trace trace;
  std::vector<Placement> placements;
};

PredictedCall subject_of(const SourceOptions& options, const Environment& environment) {
  const std::string order = std::to_string(options.n);
  const Routine& routine = kernel::require(options.routine);
  std::map<std::string, std::string> arguments = {{"n", order}, {"lda", order}};
  if (routine.index("m") >= 0) {
    arguments["m"] = order;
  }
  const Call call = kernel::parse_call(routine, arguments);
  const algorithm::BlockParameters blocks{options.nb, 2, options.nx};
  const algorithm::Algorithm& algorithm = algorithm::require(routine, options.variant);
  Trace trace = algorithm::record(call, blocks, algorithm);
  std::vector<Placement> placements = cache::cache_state(trace, environment.caches, cache::Start::filled).placements;
  return {options, environment, call, blocks, algorithm, std::move(trace), std::move(placements)};
}

/// Returns experiments for all calls in sequence, and for the whole algorithm.
std::vector<measure::Experiment> whole_experiments(const PredictedCall& subject, const machine::LibrarySet& libraries) {
  std::vector<measure::Experiment> experiments(2);
  Call whole = algorithm::with_workspace(subject.call, subject.blocks, subject.algorithm);
  std::size_t next = 0;
  for (std::size_t i = 0; i < whole.routine->arguments.size(); ++i) {
    const Kind kind = whole.routine->arguments[i].kind;
    if (kind == Kind::data || kind == Kind::work || kind == Kind::pivots) {
      whole.arguments[i] = static_cast<std::int64_t>(virtual_base(next++));
    }
  }
  experiments[0].memory = subject.trace.allocations;
  experiments[0].setup = {{.what = measure::Action::What::fill, .call = whole}};
  experiments[0].timed = subject.trace.calls;
  const auto runtime = std::make_shared<algorithm::Runtime>([&](std::string_view name) { return libraries.find(name); });
  experiments[1].memory = subject.trace.allocations;
  experiments[1].timed = {whole};
  experiments[1].perform = [&subject, runtime](const Call& run) {
    return algorithm::execute(run, subject.blocks, runtime, subject.algorithm);
  };
  experiments[1].setup = {{.what = measure::Action::What::fill, .call = whole},
                          {.what = measure::Action::What::perform, .call = whole},
                          {.what = measure::Action::What::fill, .call = whole}};
  return experiments;
}

/// Returns the sampled segments: those around every `step`-th call.
std::vector<tuning::TimedSegment> segments_of(const PredictedCall& subject) {
  std::vector<Seconds> costs;
  for (const Call& kernel : subject.trace.calls) {
    costs.push_back(flops(kernel) / 3e10 + 1e-6);
  }
  std::vector<tuning::TimedSegment> segments;
  for (std::size_t at = 0; at < subject.trace.calls.size(); at += static_cast<std::size_t>(subject.options.step)) {
    segments.push_back(tuning::segment_around(subject.trace, subject.placements, costs, at, subject.options.segments));
  }
  return segments;
}

/// Returns whole_experiments(), then one experiment for each segment, then those of alone() for the first call of each if they are wanted.
std::vector<measure::Experiment> all_experiments(const PredictedCall& subject, const std::vector<tuning::TimedSegment>& segments,
                                                 const machine::LibrarySet& libraries) {
  std::vector<measure::Experiment> experiments = whole_experiments(subject, libraries);
  for (const tuning::TimedSegment& segment : segments) {
    experiments.push_back(tuning::experiment(subject.trace, subject.placements, segment, subject.environment));
  }
  if (subject.options.alone) {
    for (const tuning::TimedSegment& segment : segments) {
      for (measure::Experiment& experiment : alone(subject.trace, subject.placements, segment.begin, subject.environment)) {
        experiments.push_back(std::move(experiment));
      }
    }
  }
  if (subject.options.disturbed) {
    for (measure::Experiment& experiment : experiments) {
      experiment.setup.insert(experiment.setup.begin(), {.what = measure::Action::What::flush_all});
    }
  }
  return experiments;
}

using AllSums = std::map<std::string, RoutineSums>;

void print_segment(const PredictedCall& subject, const tuning::TimedSegment& segment, const measure::Timings& sampled,
                   const measure::Timings& in_sequence) {
  std::printf("calls %zu ... %zu after %zu:", segment.begin, segment.end - 1, segment.context);
  for (std::size_t c = 0; c < sampled.calls.size(); ++c) {
    const std::size_t at = segment.begin + c;
    std::printf(" %s %.2f", subject.trace.calls[at].routine->name.c_str(), median_of(sampled.calls[c]) / median_of(in_sequence.calls[at]));
  }
  std::printf("\n");
}

/// Returns each kernel's sums of the timings of all_experiments(); prints the segments if this is wanted.
AllSums sums_of(const PredictedCall& subject, const std::vector<tuning::TimedSegment>& segments,
                const std::vector<measure::Timings>& timings) {
  AllSums sums;
  const auto sums_at = [&](std::size_t call) -> RoutineSums& { return sums[subject.trace.calls[call].routine->name]; };
  const measure::Timings& in_sequence = timings[0];
  for (std::size_t c = 0; c < subject.trace.calls.size(); ++c) {
    ++sums_at(c).calls;
    sums_at(c).in_sequence += median_of(in_sequence.calls[c]);
  }
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const measure::Timings& sampled = timings[s + 2];
    if (subject.options.details) {
      print_segment(subject, segments[s], sampled, in_sequence);
    }
    for (std::size_t c = 0; c < sampled.calls.size(); ++c) {
      RoutineSums& sum = sums_at(segments[s].begin + c);
      sum.sampled += median_of(sampled.calls[c]);
      sum.sampled_in_sequence += median_of(in_sequence.calls[segments[s].begin + c]);
    }
    for (const std::string& warning : sampled.warnings) {
      std::fprintf(stderr, "%s\n", warning.c_str());
    }
  }
  for (std::size_t s = 0, e = segments.size() + 2; subject.options.alone && s < segments.size(); ++s, e += 3) {
    RoutineSums& sum = sums_at(segments[s].begin);
    sum.alone_in_sequence += median_of(in_sequence.calls[segments[s].begin]);
    sum.asleep += median_of(timings[e].calls[0]);
    sum.woken += median_of(timings[e + 1].calls[0]);
    sum.after_copy += median_of(timings[e + 2].calls[0]);
  }
  return sums;
}

report::Table table_of(const AllSums& sums, bool alone) {
  report::Table table;
  table.columns = {{"kernel", report::Align::left}, {"calls"}, {"in sequence"}, {"sampled in context / in sequence"}};
  if (alone) {
    table.columns.insert(table.columns.end(), {{"alone / in sequence"}, {"woken"}, {"woken after a small copy"}});
  }
  for (const auto& [name, sum] : sums) {
    table.rows.push_back({name,
                          report::whole(sum.calls),
                          {sum.in_sequence, format_seconds(sum.in_sequence)},
                          {sum.sampled / sum.sampled_in_sequence, fmt::format("{:.3f}", sum.sampled / sum.sampled_in_sequence)}});
    for (const Seconds total : {sum.asleep, sum.woken, sum.after_copy}) {
      if (alone) {
        table.rows.back().push_back({total / sum.alone_in_sequence, fmt::format("{:.3f}", total / sum.alone_in_sequence)});
      }
    }
  }
  return table;
}

void run(const SourceOptions& options) {
  const machine::LibrarySet libraries =
      machine::LibrarySet::open(options.blas, options.lapack.empty() ? machine::default_lapack() : options.lapack);
  libraries.set_threads(1);
  const Environment environment = machine::detect(libraries);
  const PredictedCall subject = subject_of(options, environment);
  const std::vector<tuning::TimedSegment> segments = segments_of(subject);
  measure::SessionOptions session_options;
  session_options.stop.max_repetitions = options.repetitions;
  measure::Session session(libraries, environment, session_options);
  const std::vector<measure::Timings> timings = session.run(all_experiments(subject, segments, libraries));
  const AllSums sums = sums_of(subject, segments, timings);
  std::fputs(report::to_text(table_of(sums, options.alone)).c_str(), stdout);
  Seconds sequence = 0;
  for (const auto& [name, sum] : sums) {
    sequence += sum.in_sequence;
  }
  const Seconds run = median_of(timings[1].calls[0]);
  std::printf("the whole algorithm takes %s; its calls in sequence take %.3f times as long\n", format_seconds(run).c_str(), sequence / run);
}

}  // namespace

int main(int argc, char** argv) {
  cli::CommandLine line("error_sources", "Measures the sources of prediction errors");
  cli::OptionSet app = line.options();
  SourceOptions options;
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
