#include "flopcast/tasks/roofline/points.hpp"

#include <algorithm>

#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/measure/memory.hpp"
#include "flopcast/measure/sampler.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/program/recorded_place.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {
namespace {

using roofline::Point;

constexpr const char* single = "single";

std::string precision_of(const Call& call) { return real_bytes(call.routine->precision) == sizeof(float) ? single : "double"; }

}  // namespace

TimedCalls time_calls(const std::vector<Call>& calls, const machine::LibraryChoice& libraries, const std::vector<CacheLevel>& levels,
                      const RunContext& context) {
  const Workbench bench = Workbench::opened(libraries, context);
  model::Store store = open_store(context);
  measure::Session session = bench.session(store, {});
  std::vector<measure::SamplePoint> wanted;
  for (Call call : calls) {
    call.threads = libraries.threads;
    wanted.push_back({call, measure::parse_precondition("warm", call, bench.environment()), 0});
  }
  TimedCalls timed{{}, place_text(bench.environment())};
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
      timed.points.push_back(std::move(point));
    }
  }
  return timed;
}

Point recorded_program(const std::string& file) {
  const program::ProgramTraceFile recording(file);
  Point point;
  point.name = fmt::format("{}", fmt::join(recording.summary().command, " "));
  point.threads =
      std::max(static_cast<int>(recording.summary().threads.size()), program::recorded_place(recording.summary()).threads.value_or(1));
  Seconds longest = 0;
  double single_flops = 0, double_flops = 0;
  for (std::size_t thread = 0; thread < recording.summary().threads.size(); ++thread) {
    Seconds seconds = 0;
    recording.visit(thread, [&](const program::ProgramEvent& event) {
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
    throw bad_input("{}: there is no executed BLAS or LAPACK call with arithmetic in it", file);
  }
  point.flops_rate.samples = {point.flops / longest};
  return point;
}

void require_points(const std::vector<Call>& calls) {
  const auto available = static_cast<double>(measure::available_memory_bytes());
  for (const Call& call : calls) {
    if (flops(call) <= 0) {
      throw bad_input("point {}: the call does no arithmetic, so it has no place on a roofline", kernel::format_call(call));
    }
    if (const auto needed = static_cast<double>(footprint_bytes(call)); needed > available) {
      throw bad_input("point {}: its operands need {} of memory, but only {} are available", kernel::format_call(call),
                      format_bytes(needed), format_bytes(available));
    }
  }
}

}  // namespace flopcast
