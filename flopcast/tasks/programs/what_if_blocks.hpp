#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/tasks/programs/what_if_services.hpp"

namespace flopcast {

/// The effect of the best block sizes on one shape's time.
struct ShapeTuning {
  std::size_t shape = 0;  ///< index into the breakdown's shapes
  double ratio = 1;       ///< time with the chosen block sizes / time with the default ones
  double regret = 0;      ///< greatest possible loss by the choice, as a fraction of the shape's time
};

/// The effect of the best block sizes on a recorded program.
struct ShapesTuning {
  std::vector<ShapeTuning> shapes;
  std::vector<BlockChoice> choices;
  std::size_t untuned_shapes = 0;
};

/// Chooses block sizes for the shapes that take a noticeable part of the time. `seconds` holds the time of every shape with the default
/// block sizes, or nothing where it isn't known. `label` names the step.
ShapesTuning tune_shapes(const program::ProgramBreakdown& breakdown, std::span<const std::optional<Seconds>> seconds,
                         WhatIfLibraries& place, Seconds budget, const std::string& label, const RunContext& context);

}  // namespace flopcast
