#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "flopcast/kernel/drivers.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/measure/placed_call.hpp"
#include "flopcast/predict/predicted_interval.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/doctor_findings.hpp"

// The finding that another driver of LAPACK does the same job sooner.
namespace flopcast {
namespace {

using program::ShapeSum;

/// The calls of one routine in a recording, by the longest shape.
struct DriverCalls {
  const ShapeSum* shape = nullptr;
  Seconds seconds = 0;
  std::int64_t calls = 0;
};

std::map<std::uint32_t, DriverCalls> driver_calls_of(const program::ProgramBreakdown& breakdown) {
  std::map<std::uint32_t, DriverCalls> all;
  for (const ShapeSum& shape : breakdown.shapes()) {
    if (shape.longest.routine != nullptr && !shape.first_calls && !kernel::other_drivers(shape.longest).empty()) {
      DriverCalls& calls = all[shape.name];
      calls.shape = calls.shape == nullptr || calls.shape->sum.seconds < shape.sum.seconds ? &shape : calls.shape;
      calls.seconds += shape.sum.seconds;
      calls.calls += shape.sum.calls;
    }
  }
  return all;
}

/// Returns the call by the driver of this row, or the call itself.
Call with_driver(const Call& call, const Routine& from, const kernel::DriverRow& row) {
  if (call.routine == &from) {
    for (const kernel::OtherDriver& other : kernel::other_drivers(call)) {
      if (other.row == &row) {
        Call placed = measure::with_addresses(other.call);
        placed.arguments[static_cast<std::size_t>(placed.routine->index("A"))] = call.arguments[static_cast<std::size_t>(from.index("A"))];
        return placed;
      }
    }
  }
  return call;
}

/// Returns "82.2 ms +- 9.10 ms", with half of the 95 % interval.
std::string time_text(const ExpectedTime& time) {
  return fmt::format("{} +- {}", format_seconds(time.seconds), format_seconds(prediction::z95_two_sided * time.deviation));
}

std::string remedy_text(const kernel::OtherDriver& other) {
  const Precision precision = other.call.routine->precision;
  std::string sizes;
  for (const std::string& name : other.job->sizes) {
    sizes += fmt::format(" {}={}", name, other.wish.sizes.at(name));
  }
  return fmt::format("{}, or {} in C and Fortran; 'flopcast rank {}{} --precision {}{}' compares the drivers by spectrum",
                     driver_call_text(*other.row, precision, other.wish), driver_name(*other.row, precision), other.job->name, sizes,
                     static_cast<char>(precision), other.wish.vectors ? "" : " --no-vectors");
}

}  // namespace

std::vector<Finding> driver_findings(const DiagnosisFacts& facts, const Expectation& expectation, std::vector<std::string>& examined) {
  constexpr double noticeable = 0.01;
  std::vector<Finding> findings;
  for (const auto& [name, calls] : driver_calls_of(facts.breakdown)) {
    const double share = 1 / std::max(1.0, facts.callers);
    if (calls.seconds * share < noticeable * facts.program.summary().seconds) {
      continue;
    }
    const Routine& routine = *calls.shape->longest.routine;
    const std::optional<ExpectedTime> recorded = expectation(name, [](const Call& call) { return call; });
    std::optional<Finding> best;
    for (const kernel::OtherDriver& other : kernel::other_drivers(calls.shape->longest)) {
      const std::optional<ExpectedTime> changed =
          expectation(name, [&](const Call& call) { return with_driver(call, routine, *other.row); });
      if (!recorded || !changed || recorded->seconds <= 0) {
        examined.push_back(fmt::format("{} in place of {}: not all calls could be predicted", other.call.routine->name, routine.name));
        continue;
      }
      // The recorded time differs from the one that the models expect, because the program's matrices have another spectrum than random ones. A
      // certain gain is one beside either time.
      const double scale = calls.seconds / recorded->seconds;
      const Seconds half = prediction::z95_two_sided * std::hypot(recorded->deviation, changed->deviation);
      const Seconds middle = recorded->seconds - changed->seconds;
      const Seconds from_recorded = calls.seconds - changed->seconds - prediction::z95_two_sided * changed->deviation;
      const Interval gain = {std::min((middle - half) * scale, from_recorded) * share,
                             std::min((middle + half) * scale, calls.seconds) * share};
      if (gain.low <= 0 || gain.high < noticeable * facts.program.summary().seconds) {
        examined.push_back(fmt::format("{} in place of {}: {} recorded, {} and {} predicted: no certain gain", other.call.routine->name,
                                       routine.name, format_seconds(calls.seconds), format_seconds(changed->seconds),
                                       format_seconds(recorded->seconds)));
      } else if (!best || best->gain.low < gain.low) {
        best = Finding{FindingCause::slower_driver,
                       fmt::format("{} is slower than {}, which does the same", routine.name, other.call.routine->name),
                       fmt::format("{} such as {} took {}; {} is predicted to take {} of the {} that {} takes on random matrices{}",
                                   counted(calls.calls, "call"), kernel::format_call(calls.shape->longest), format_seconds(calls.seconds),
                                   other.call.routine->name, time_text(*changed), time_text(*recorded), routine.name,
                                   changed->extrapolated ? ". Large calls are extrapolated; a larger --time-budget samples them" : ""),
                       remedy_text(other),
                       calls.seconds,
                       gain};
      }
    }
    if (best) {
      findings.push_back(std::move(*best));
    }
  }
  return findings;
}

}  // namespace flopcast
