#include "flopcast/tune/segment.hpp"

#include <algorithm>

#include "flopcast/tune/coverage.hpp"

namespace flopcast::tune {
namespace {

using measure::Action;

/// Whether the calls [first, at) touch an operand of call `at`.
bool touched(const Trace& trace, std::size_t first, std::size_t at, const Operand& operand) {
  Coverage coverage(operand);
  for (std::size_t before = at; before > first && !coverage.complete(); --before) {
    coverage.add(trace.calls[before - 1]);
  }
  return coverage.complete();
}

bool touched(const Trace& trace, std::size_t first, std::size_t at) {
  const Operands all = operands(trace.calls[at]);
  return std::all_of(all.begin(), all.end(), [&](const Operand& operand) { return touched(trace, first, at, operand); });
}

/// Whether call segment.begin finds its operands, and if it is short its code, as it would in the trace.
bool has_context(const Trace& trace, const Segment& segment, std::span<const Placement> placements, const CallCost& cost,
                 const SegmentOptions& options) {
  const auto first = trace.calls.begin() + static_cast<std::ptrdiff_t>(segment.context);
  const auto at = trace.calls.begin() + static_cast<std::ptrdiff_t>(segment.begin);
  const bool code_is_warm = cost(*at, placements[segment.begin]) > options.warm_up ||
                            std::any_of(first, at, [&](const Call& call) { return call.routine == at->routine; });
  return code_is_warm && touched(trace, segment.context, segment.begin);
}

bool needs_definite(const Call& call) {
  return std::any_of(call.routine->arguments.begin(), call.routine->arguments.end(),
                     [](const Argument& argument) { return argument.fill == Fill::definite; });
}

void add_fills(std::vector<Action>& setup, std::span<const Call> calls) {
  // Definite operands last: their large diagonals serve triangles and everything else too, the reverse does not hold.
  for (const bool definite : {false, true}) {
    for (const Call& call : calls) {
      if (needs_definite(call) == definite) {
        setup.push_back({.what = Action::What::fill, .call = call});
      }
    }
  }
}

void add_executions(std::vector<Action>& setup, std::span<const Call> calls) {
  for (const Call& call : calls) {
    setup.push_back({.what = Action::What::execute, .call = call});
  }
}

struct Placed {
  Region region;
  OperandState state;
};

/// Brings regions, which filling has left in some cache, into their levels: those in memory are flushed, then from the outermost level inwards those that belong there are
/// touched and pushed out of the levels inside. What belongs into a cache is not flushed: lines that come back from memory once are not kept by a last-level cache that
/// favours reuse, and made kernels up to 15 % slower than in the routine.
void add_placements(std::vector<Action>& setup, const std::vector<Placed>& regions, const Environment& environment) {
  const auto memory = static_cast<int>(environment.caches.size());
  for (const Placed& placed : regions) {
    if (placed.state.level >= memory) {
      setup.push_back({.what = Action::What::flush, .region = placed.region});
    }
  }
  for (int level = memory - 1; level >= 0; --level) {
    bool any = false;
    for (const Placed& placed : regions) {
      if (placed.state.level == level) {
        setup.push_back({.what = placed.state.dirty ? Action::What::write : Action::What::read, .region = placed.region});
        any = true;
      }
    }
    if (any && level > 0) {
      setup.push_back({.what = Action::What::evict, .level = level - 1});
    }
  }
}

}  // namespace

Segment segment_around(const Trace& trace, std::span<const Placement> placements, std::size_t wanted, const CallCost& cost,
                       const SegmentOptions& options) {
  const Seconds wanted_cost = cost(trace.calls[wanted], placements[wanted]);
  const Seconds affordable = std::max(options.least_context, options.context_share * wanted_cost);
  const Operands all = operands(trace.calls[wanted]);
  std::vector<Coverage> missing(all.begin(), all.end());
  bool code_is_warm = false;
  Segment segment{wanted, wanted, wanted + 1};
  Seconds spent = 0;
  for (std::size_t back = 1; back <= options.most_context_calls && back <= wanted; ++back) {
    missing.erase(std::remove_if(missing.begin(), missing.end(), [](const Coverage& coverage) { return coverage.complete(); }),
                  missing.end());
    const bool found = missing.empty() && code_is_warm;
    if (found && spent >= options.warm_up) {
      break;
    }
    const std::size_t at = wanted - back;
    spent += cost(trace.calls[at], placements[at]);
    if (spent > affordable) {
      break;
    }
    bool useful = false;
    for (Coverage& coverage : missing) {
      useful = coverage.add(trace.calls[at]) || useful;
    }
    if (!code_is_warm && trace.calls[at].routine == trace.calls[wanted].routine) {
      code_is_warm = useful = true;
    }
    if (useful || found) {
      segment.context = at;
    }
  }
  // Calls of the context that have a context of their own in it are timed too.
  while (segment.begin > segment.context + 1 && has_context(trace, {segment.context, segment.begin - 1, 0}, placements, cost, options)) {
    --segment.begin;
  }
  Seconds timed = 0;
  for (std::size_t at = segment.begin; at < segment.end; ++at) {
    timed += cost(trace.calls[at], placements[at]);
  }
  while (timed < options.least_timed && segment.end < trace.calls.size() && segment.end - segment.begin < options.most_timed_calls &&
         touched(trace, segment.context, segment.end)) {
    timed += cost(trace.calls[segment.end], placements[segment.end]);
    ++segment.end;
  }
  return segment;
}

measure::Experiment experiment(const Trace& trace, std::span<const Placement> placements, const Segment& segment,
                               const Environment& environment) {
  measure::Experiment result;
  result.memory = trace.allocations;
  const std::span<const Call> calls(trace.calls);
  const std::span<const Call> window = calls.subspan(segment.context, segment.end - segment.context);
  if (segment.context == 0) {
    // Nothing comes before that could warm the code up; a run of the same routine would have.
    add_fills(result.setup, window);
    add_executions(result.setup, window);
  }
  add_fills(result.setup, window);
  std::vector<Placed> untouched;
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
  add_placements(result.setup, untouched, environment);
  add_executions(result.setup, calls.subspan(segment.context, segment.begin - segment.context));
  result.timed.assign(calls.begin() + static_cast<std::ptrdiff_t>(segment.begin), calls.begin() + static_cast<std::ptrdiff_t>(segment.end));
  return result;
}

}  // namespace flopcast::tune
