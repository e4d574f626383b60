#include "flopcast/tune/segment.hpp"

#include <algorithm>

namespace flopcast::tune {
namespace {

using measure::Action;

bool overlaps(const Operand& a, const Operand& b) {
  return std::any_of(a.parts.begin(), a.parts.end(), [&](const Region& part) {
    return std::any_of(b.parts.begin(), b.parts.end(), [&](const Region& other) { return part.overlaps(other); });
  });
}

bool touches(const Call& call, const Operand& operand) {
  const Operands all = operands(call);
  return std::any_of(all.begin(), all.end(), [&](const Operand& other) { return overlaps(operand, other); });
}

/// Whether the call after a segment finds each of its operands as it would in the trace: touched by the segment.
bool follows(const Trace& trace, const Segment& segment) {
  const Operands all = operands(trace.calls[segment.end]);
  return std::all_of(all.begin(), all.end(), [&](const Operand& operand) {
    if (operand.parts.empty()) {
      return true;
    }
    for (std::size_t at = segment.context; at < segment.end; ++at) {
      if (touches(trace.calls[at], operand)) {
        return true;
      }
    }
    return false;
  });
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
  Segment segment{wanted, wanted, wanted + 1};
  Seconds spent = 0;
  std::vector<bool> found(all.size(), false);
  for (std::size_t back = 1; back <= options.most_context_calls && back <= wanted; ++back) {
    if (std::all_of(found.begin(), found.end(), [](bool f) { return f; })) {
      break;
    }
    const std::size_t at = wanted - back;
    spent += cost(trace.calls[at], placements[at]);
    if (spent > affordable) {
      break;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!found[i] && touches(trace.calls[at], all[i])) {
        found[i] = true;
        segment.context = at;
      }
    }
  }
  // All calls between the first one and the wanted one follow their own context, so they are timed too.
  segment.begin = segment.context < wanted ? segment.context + 1 : wanted;
  Seconds timed = 0;
  for (std::size_t at = segment.begin; at < segment.end; ++at) {
    timed += cost(trace.calls[at], placements[at]);
  }
  while (timed < options.least_timed && segment.end < trace.calls.size() && segment.end - segment.begin < options.most_timed_calls &&
         follows(trace, segment)) {
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
  add_fills(result.setup, window);
  std::vector<Placed> untouched;
  std::vector<Operand> touched;
  for (std::size_t at = segment.context; at < segment.end; ++at) {
    const Operands all = operands(trace.calls[at]);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool known = std::any_of(touched.begin(), touched.end(), [&](const Operand& operand) { return overlaps(operand, all[i]); });
      if (!known && at >= segment.begin) {
        for (const Region& part : all[i].parts) {
          untouched.push_back({part, placements[at][i]});
        }
      }
    }
    touched.insert(touched.end(), all.begin(), all.end());
  }
  add_placements(result.setup, untouched, environment);
  for (std::size_t at = segment.context; at < segment.begin; ++at) {
    result.setup.push_back({.what = Action::What::execute, .call = trace.calls[at]});
  }
  result.timed.assign(calls.begin() + static_cast<std::ptrdiff_t>(segment.begin), calls.begin() + static_cast<std::ptrdiff_t>(segment.end));
  return result;
}

}  // namespace flopcast::tune
