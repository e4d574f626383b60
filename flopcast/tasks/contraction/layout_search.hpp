#pragma once

#include <functional>

#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"

namespace flopcast {

/// Times of one execution of an expression of dense tensors whose last axis is contiguous.
struct LayoutServices {
  std::function<Seconds(const contract::SizedExpression&)> estimated;  ///< in microseconds, from sizes and contiguity
  std::function<Seconds(const contract::SizedExpression&)> predicted;  ///< in milliseconds, as a plan predicts
  std::function<Seconds(const contract::SizedExpression&)> measured;   ///< only for LayoutsRequest::validate
  std::function<Seconds()> now = [] { return 0.0; };                   ///< time in seconds since any moment
};

LayoutsResult choose_layouts(const LayoutServices& services, const LayoutsRequest& request, const RunContext& context);

}  // namespace flopcast
