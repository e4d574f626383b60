#include "flopcast/tasks/roofline/roofline_points.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "flopcast/kernel/call_list.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/measure/memory.hpp"
#include "flopcast/measure/sampler.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/program/recorded_place.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {
namespace {

using roofline::Point;

constexpr const char* single = "single";

std::string precision_of(const Call& call) { return real_bytes(call.routine->precision) == sizeof(float) ? single : "double"; }

/// Calls by themselves, with operands that were just used where they fit: what a caller in a loop would see.
std::vector<Point> timed_calls(const RooflineOptions& options, std::span<const CacheLevel> levels, std::string& place,
                               const RunContext& context) {
  machine::LibraryChoice libraries;
  libraries.threads = std::max(options.threads, 1);
  libraries.blas = options.blas.empty() ? "" : options.blas.front();
  libraries.kernels = options.kernels;
  const Workbench bench = Workbench::opened(libraries, context);
  place = place_text(bench.environment());
  model::Store store = open_store(context);
  measure::Session session = bench.session(store, {});
  std::vector<measure::SamplePoint> wanted;
  for (const std::string& text : options.points) {
    for (Call call : kernel::expand_calls(text)) {
      call.threads = libraries.threads;
      wanted.push_back({call, measure::parse_precondition("warm", call, bench.environment()), 0});
    }
  }
  std::vector<Point> points;
  const std::vector<Sample> samples = measure::sample(session, wanted, context.step("points"));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Call& call = wanted[i].call;
    const auto bytes = static_cast<double>(footprint_bytes(call));
    Point point{kernel::format_call(call), flops(call), bytes, call.threads, {}, roofline::level_of(levels, bytes), precision_of(call)};
    for (const Repetition& repetition : samples[i].repetitions) {
      if (!repetition.discarded) {
        point.flops_rate.samples.push_back(point.flops / repetition.seconds);
      }
    }
    if (!point.flops_rate.samples.empty()) {
      points.push_back(std::move(point));
    }
  }
  return points;
}

/// A recorded program: all calls of all its threads together, over the time that the busiest thread spent in them.
Point recorded_program(const std::string& file) {
  const interpose::ProgramTraceFile recording(file);
  Point point;
  point.name = fmt::format("{}", fmt::join(recording.summary().command, " "));
  point.threads =
      std::max(static_cast<int>(recording.summary().threads.size()), interpose::recorded_place(recording.summary()).threads.value_or(1));
  Seconds longest = 0;
  double single_flops = 0, double_flops = 0;
  for (std::size_t thread = 0; thread < recording.summary().threads.size(); ++thread) {
    Seconds seconds = 0;
    recording.visit(thread, [&](const interpose::ProgramEvent& event) {
      if (event.described() && event.seconds > 0) {
        seconds += event.seconds;
        (precision_of(event.call) == single ? single_flops : double_flops) += flops(event.call);
        point.bytes += static_cast<double>(footprint_bytes(event.call));
      }
    });
    longest = std::max(longest, seconds);
  }
  point.flops = single_flops + double_flops;
  point.precision = single_flops > double_flops ? single : point.precision;
  if (point.flops <= 0 || longest <= 0) {
    throw bad_input("--program {}: there is no executed BLAS or LAPACK call with arithmetic in it", file);
  }
  point.flops_rate.samples = {point.flops / longest};
  return point;
}

}  // namespace

void require_points(const RooflineOptions& options) {
  const auto available = static_cast<double>(measure::available_memory_bytes());
  for (const std::string& text : options.points) {
    for (const Call& call : kernel::expand_calls(text)) {
      if (flops(call) <= 0) {
        throw bad_input("--point {}: the call does no arithmetic, so it has no place on a roofline", text);
      }
      if (const auto needed = static_cast<double>(footprint_bytes(call)); needed > available) {
        throw bad_input("--point {}: its operands need {} of memory, but only {} are available", text, format_bytes(needed),
                        format_bytes(available));
      }
    }
  }
}

std::vector<Point> recorded_points(const RooflineOptions& options) {
  std::vector<Point> points;
  std::transform(options.programs.begin(), options.programs.end(), std::back_inserter(points), recorded_program);
  return points;
}

void measure_points(const RooflineOptions& options, roofline::Roofline& found, const RunContext& context) {
  if (options.points.empty()) {
    return;
  }
  std::string place;
  try {
    const std::vector<Point> calls = timed_calls(options, found.levels, place, context);
    found.points.insert(found.points.end(), calls.begin(), calls.end());
    found.findings.push_back("calls of --point were timed on " + place);
  } catch (const Error& error) {
    if (!context.cancelled()) {
      found.findings.push_back(fmt::format("the calls of --point couldn't be timed: {}", error.what()));
    }
  }
}

}  // namespace flopcast
