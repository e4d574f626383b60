#include "flopcast/tasks/programs/what_if_blocks.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "flopcast/support/error.hpp"
#include "flopcast/tune/decision.hpp"

namespace flopcast {
namespace {

using program::ShapeSum;
using program::TunableCall;

constexpr std::int64_t candidates[] = {8, 16, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256};

/// Tunes the shapes of one program in one place.
class ShapeTuner {
 public:
  ShapeTuner(const program::ProgramBreakdown& breakdown, WhatIfLibraries& place, const RunContext& context)
      : breakdown_(breakdown), libraries_(place), context_(context) {}

  ShapesTuning run(std::span<const std::optional<Seconds>> seconds, Seconds budget, const std::string& label) {
    const std::vector<TunableShape> shapes = tunable_shapes();
    std::vector<tuning::Problem> problems;
    for (const TunableShape& shape : shapes) {
      for (const TunableCall& call : shape.calls) {
        allowed_.push_back(allowed_block(call));
        problems.push_back(block_problem(call, allowed_.back()));
      }
    }
    if (problems.empty()) {
      return std::move(result_);
    }
    const tuning::BlockSizeResult chosen = libraries_.choose_blocks(problems, budget, label);
    std::size_t next = 0;
    for (const TunableShape& shape : shapes) {
      take_decisions(shape, *seconds[shape.shape], std::span(chosen.decisions).subspan(next, shape.calls.size()),
                     std::span(allowed_).subspan(next, shape.calls.size()));
      next += shape.calls.size();
    }
    return std::move(result_);
  }

 private:
  /// A shape and the calls in its longest one that query ilaenv: itself, or those below it.
  struct TunableShape {
    std::size_t shape = 0;
    std::vector<TunableCall> calls;
  };

  /// Returns the shapes that are worth the time, the heaviest first, and counts the others.
  std::vector<TunableShape> tunable_shapes() {
    static constexpr std::size_t max_shapes = 8;
    static constexpr double min_share = 0.01;
    std::vector<TunableShape> shapes;
    for (std::size_t i = 0; i < breakdown_.shapes().size(); ++i) {
      const ShapeSum& shape = breakdown_.shapes()[i];
      if (shape.first_calls || shape.longest.routine == nullptr || shape.longest.routine->index("info") < 0) {
        continue;
      }
      context_.throw_if_cancelled("nothing was measured");
      std::vector<TunableCall> calls = tunable_calls(shape);
      if (calls.empty()) {
        continue;
      }
      if (shapes.size() < max_shapes && shape.sum.seconds >= min_share * breakdown_.all().seconds) {
        shapes.push_back({i, std::move(calls)});
      } else {
        ++result_.untuned_shapes;
      }
    }
    return shapes;
  }

  /// Returns none where the library lacks the routine, or the routine stops at the data that a recording leaves.
  [[nodiscard]] std::vector<TunableCall> tunable_calls(const ShapeSum& shape) const {
    std::vector<TunableCall> calls;
    try {
      calls = libraries_.tunable_calls(problem_call(shape));
    } catch (const Error&) {
      return {};
    }
    for (TunableCall& part : calls) {
      part.call.threads = libraries_.environment().threads;
    }
    return calls;
  }

  /// Returns the shape's longest call. The routine chooses its workspace if the program had queried the size, because then the program
  /// gives what a new block size needs. Otherwise the workspace stays as it was.
  [[nodiscard]] Call problem_call(const ShapeSum& shape) const {
    Call call = shape.longest;
    call.threads = libraries_.environment().threads;
    for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
      if (call.routine->arguments[i].kind == Kind::work_size && (shape.longest_size_queried || call.arguments[i] < 0)) {
        call.arguments[i] = 0;
      }
    }
    return call;
  }

  /// Returns the least block size from which on all up to `largest` give the same calls. The crossover point is the same for all of them.
  std::int64_t last_difference(const Call& call, std::int64_t largest) {
    const auto calls = [&](std::int64_t nb) { return libraries_.kernel_calls(call, algorithm::BlockParameters{nb, 2, largest}); };
    const std::vector<Call> at_largest = calls(largest);
    std::int64_t low = 0, high = largest;
    while (high - low > 1) {
      const std::int64_t middle = (low + high) / 2;
      (calls(middle) == at_largest ? high : low) = middle;
    }
    return high;
  }

  /// Returns the largest block size that fits into the call's workspace, which the routine uses in place of larger ones. Returns 0 if all
  /// sizes fit, or if the routine gets the workspace that it requests.
  std::int64_t allowed_block(const TunableCall& tunable) {
    const int work_size = tunable.call.routine->index("lwork");
    const std::int64_t order = tunable.query.n < 0 ? tunable.query.m : std::min(tunable.query.m, tunable.query.n);
    const std::int64_t largest = std::min(candidates[std::size(candidates) - 1], order - 1);  // from the order on nothing is blocked
    if (work_size < 0 || tunable.call.arguments[static_cast<std::size_t>(work_size)] <= 0 || largest < 2) {
      return 0;
    }
    Call roomy = tunable.call;
    roomy.arguments[static_cast<std::size_t>(work_size)] = 0;
    const std::int64_t allowed = last_difference(tunable.call, largest);
    return allowed < last_difference(roomy, largest) ? allowed : 0;
  }

  static tuning::Problem block_problem(const TunableCall& tunable, std::int64_t allowed) {
    tuning::Problem problem;
    problem.call = tunable.call;
    const algorithm::BlockParameters& defaults = tunable.query.answers;
    problem.default_ = tuning::Alternative{.blocks = defaults};
    for (const std::int64_t nb : candidates) {
      if (allowed == 0 || nb <= allowed) {
        problem.alternatives.push_back({"", {nb, defaults.nbmin, defaults.nx}});
      }
    }
    if (problem.alternatives.empty()) {
      problem.alternatives.push_back({"", {allowed, defaults.nbmin, defaults.nx}});
    }
    return problem;
  }

  /// Computes the change of a shape's time, which took `before`. The shape changes as its longest call does: by the ratio of the predicted
  /// times or, where routines below it are tuned, by the share of its time that these save.
  void take_decisions(const TunableShape& shape, Seconds before, std::span<const tuning::Decision> decisions,
                      std::span<const std::int64_t> allowed) {
    const ShapeSum& recorded = breakdown_.shapes()[shape.shape];
    const Seconds longest = recorded.sum.seconds > 0 ? recorded.longest_seconds * before / recorded.sum.seconds : 0;
    ShapeTuning change{shape.shape};
    double saved = 0;
    for (std::size_t d = 0; d < decisions.size(); ++d) {
      const tuning::Decision& decision = decisions[d];
      if (decision.default_.seconds <= 0) {  // a recording has no data: matrices that are deflated first leave nothing to do
        continue;
      }
      const Call& tuned = shape.calls[d].call;
      const tuning::Forecast& taken = effective_forecast(decision);
      result_.choices.push_back({shape.shape, tuned.routine->name, decision.default_.blocks.nb, taken.blocks.nb, taken.blocks.nx,
                                 decision.default_.seconds, taken.seconds, decision.regret, is_undecided(decision), allowed[d]});
      const Seconds all = tuned.routine == recorded.longest.routine ? decision.default_.seconds : longest;
      if (all > 0 && !is_undecided(decision)) {
        saved += (decision.default_.seconds - decision.chosen.seconds) / all;
        change.regret += std::max(0.0, decision.regret) * decision.chosen.seconds / all;
      }
    }
    change.ratio = std::max(0.0, 1 - saved);
    result_.shapes.push_back(change);
  }

  const program::ProgramBreakdown& breakdown_;
  WhatIfLibraries& libraries_;
  const RunContext& context_;
  std::vector<std::int64_t> allowed_;  // largest block size that the workspace allows, of every problem
  ShapesTuning result_;
};

}  // namespace

ShapesTuning tune_shapes(const program::ProgramBreakdown& breakdown, std::span<const std::optional<Seconds>> seconds,
                         WhatIfLibraries& place, Seconds budget, const std::string& label, const RunContext& context) {
  return ShapeTuner(breakdown, place, context).run(seconds, budget, label);
}

}  // namespace flopcast
