#include "flopcast/tune/segment.hpp"

#include <algorithm>
#include <utility>

#include "flopcast/measure/placed_call.hpp"
#include "flopcast/tune/coverage.hpp"

namespace flopcast::tuning {
namespace {

using measure::Action;

/// Returns whether the calls [first, at) touch an operand of call `at`.
bool touched(const Trace& trace, std::size_t first, std::size_t at, const Operand& operand) {
  Coverage coverage(operand);
  for (std::size_t before = at; before > first && !coverage.complete(); --before) {
    coverage.add(trace.calls[before - 1]);
  }
  return coverage.complete();
}

/// Returns the relevant operands of a call that lie beyond the near caches, in which placing them by hand is as good as the trace.
std::vector<Operand> far_operands(const Call& call, const Placement& placement) {
  static constexpr int placed_well = 1;      // up to L2
  static constexpr std::int64_t small = 16;  // operands below 1/16 of the call's bytes don't count
  const Operands all = operands(call);
  const std::int64_t bytes = footprint_bytes(call);
  std::vector<Operand> far;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (placement[i].level > placed_well && all[i].bytes() * small > bytes) {
      far.push_back(all[i]);
    }
  }
  return far;
}

/// Returns whether call `at` finds its operands after the calls [first, at) as it would in the trace.
bool finds_operands(const Trace& trace, std::span<const Placement> placements, std::size_t first, std::size_t at) {
  const std::vector<Operand> far = far_operands(trace.calls[at], placements[at]);
  return std::all_of(far.begin(), far.end(), [&](const Operand& operand) { return touched(trace, first, at, operand); });
}

bool needs_definite(const Call& call) {
  return std::any_of(call.routine->arguments.begin(), call.routine->arguments.end(),
                     [](const Argument& argument) { return argument.fill == Fill::definite; });
}

/// Returns the largest row that the pivots read by `call` may contain; 0 if it reads none.
std::int64_t last_pivot(const Call& call) {
  std::int64_t last = 0;
  for (const Operand& operand : operands(call)) {
    const Argument& argument = call.routine->arguments[operand.argument];
    if (argument.kind == Kind::pivots && argument.access == Access::read) {
      const std::int64_t offset = argument.offset.empty() ? 0 : argument.offset.integer(call.values());
      last = std::max(last, offset + operand.bytes() / call.integer_bytes);
    }
  }
  return last;
}

/// Returns the calls in an order in which one fill may overwrite another. The same pivots may count from the top of a sub-matrix in one call
/// and from the top of the matrix in a later one; the smallest rows exist in both. Definite operands come last, because their large diagonals
/// also serve triangles and general operands, but not the reverse.
void add_fills(std::vector<Action>& setup, std::span<const Call> calls) {
  struct TracedStep {
    bool definite;
    std::int64_t pivot;
    const Call* call;
  };
  std::vector<TracedStep> fills;
  for (const Call& call : calls) {
    fills.push_back({needs_definite(call), last_pivot(call), &call});
  }
  std::stable_sort(fills.begin(), fills.end(),
                   [](const TracedStep& a, const TracedStep& b) { return a.definite != b.definite ? b.definite : a.pivot > b.pivot; });
  for (const TracedStep& fill : fills) {
    setup.push_back({.what = Action::What::fill, .call = *fill.call});
  }
}

void add_executions(std::vector<Action>& setup, std::span<const Call> calls) {
  for (const Call& call : calls) {
    setup.push_back({.what = Action::What::execute, .call = call});
  }
}

/// Returns the first call of the context, after which the operands, the code and the caches of call `wanted` are as in the trace.
std::size_t find_context(const Trace& trace, std::span<const Seconds> costs, std::size_t wanted, Seconds warm_up,
                         const SegmentOptions& options) {
  const Seconds affordable = std::max({options.min_context, options.context_share * costs[wanted], warm_up});
  const Operands all = operands(trace.calls[wanted]);
  std::vector<Coverage> missing(all.begin(), all.end());
  bool code_is_warm = false;
  std::size_t context = wanted;
  Seconds spent = 0;
  for (std::size_t back = 1; back <= options.max_context_calls && back <= wanted; ++back) {
    missing.erase(std::remove_if(missing.begin(), missing.end(), [](const Coverage& coverage) { return coverage.complete(); }),
                  missing.end());
    if (missing.empty() && code_is_warm && spent >= warm_up) {
      break;
    }
    const std::size_t at = wanted - back;
    bool useful = spent < warm_up;
    spent += costs[at];
    if (spent > affordable) {
      break;
    }
    for (Coverage& coverage : missing) {
      useful = coverage.add(trace.calls[at]) || useful;
    }
    if (!code_is_warm && trace.calls[at].routine == trace.calls[wanted].routine) {
      code_is_warm = useful = true;
    }
    if (useful) {
      context = at;
    }
  }
  return context;
}

}  // namespace

TimedSegment segment_around(const Trace& trace, std::span<const Placement> placements, std::span<const Seconds> costs, std::size_t wanted,
                            const SegmentOptions& options) {
  const bool far = !far_operands(trace.calls[wanted], placements[wanted]).empty();
  const Seconds warm_up = far ? options.far_warm_up : options.warm_up;
  TimedSegment segment{find_context(trace, costs, wanted, warm_up, options), wanted, wanted + 1};
  // Calls of the context whose operands are in the right place, too, are timed as well.
  Seconds before = 0;
  for (std::size_t at = segment.context; at < wanted; ++at) {
    before += costs[at];
  }
  for (segment.begin = wanted; segment.begin > segment.context + 1; --segment.begin) {
    const std::size_t at = segment.begin - 1;
    const Seconds own = costs[at];
    before -= own;
    const bool is_warm = std::max(before, own) >= warm_up || segment.context == 0;
    if (!is_warm || !finds_operands(trace, placements, segment.context, at)) {
      break;
    }
  }
  Seconds timed = 0;
  for (std::size_t at = segment.begin; at < segment.end; ++at) {
    timed += costs[at];
  }
  while (timed < options.min_timed && segment.end < trace.calls.size() && segment.end - segment.begin < options.max_timed_calls &&
         finds_operands(trace, placements, segment.context, segment.end)) {
    timed += costs[segment.end];
    ++segment.end;
  }
  return segment;
}

measure::Experiment experiment(const Trace& trace, std::span<const Placement> placements, const TimedSegment& segment,
                               const Environment& environment) {
  measure::Experiment result;
  result.memory = trace.allocations;
  const std::span<const Call> calls(trace.calls);
  const std::span<const Call> window = calls.subspan(segment.context, segment.end - segment.context);
  if (segment.context == 0) {
    // No call before this one warms up its code, as a call of the same routine in the trace would have.
    add_fills(result.setup, window);
    add_executions(result.setup, window);
  }
  add_fills(result.setup, window);
  std::vector<measure::PlacedRegion> untouched;
  for (std::size_t at = segment.begin; at < segment.end; ++at) {
    const Operands all = operands(trace.calls[at]);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!touched(trace, segment.context, at, all[i])) {
        for (const Region& part : all[i].parts) {
          untouched.push_back({part, placements[at][i]});
        }
      }
    }
  }
  measure::append_placing(result.setup, std::move(untouched), static_cast<int>(environment.caches.size()));
  add_executions(result.setup, calls.subspan(segment.context, segment.begin - segment.context));
  result.timed.assign(calls.begin() + static_cast<std::ptrdiff_t>(segment.begin), calls.begin() + static_cast<std::ptrdiff_t>(segment.end));
  return result;
}

}  // namespace flopcast::tuning
