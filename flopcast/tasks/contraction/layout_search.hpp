#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"

namespace flopcast {

/// Times of executions by expression, such as "ai,ibc->abc". Sizes, precision and threads are those of a request.
using LayoutRuns = std::map<std::string, std::vector<Seconds>>;

/// Times of one execution of an expression of dense tensors whose last axis is contiguous.
struct LayoutServices {
  std::function<Seconds(const contract::SizedExpression&)> estimated;  ///< in microseconds, from sizes and contiguity
  std::function<Seconds(const contract::SizedExpression&)> predicted;  ///< in milliseconds, as a plan predicts
  /// Returns the times of several executions; only for LayoutsRequest::validate. Returns none if the context was cancelled meanwhile.
  std::function<std::vector<Seconds>(const contract::SizedExpression&)> measured;
  std::function<Seconds()> now = [] { return 0.0; };  ///< time in seconds since any moment
  /// Returns the standard deviation of the logarithm of speed-ups around that of predicted ones; called only where none is measured.
  std::function<double()> speed_up_error = [] { return 0.0; };
  LayoutRuns known = {};                             ///< runs of an interrupted comparison, which aren't made again
  std::function<void(const LayoutRuns&)> keep = {};  ///< keeps all runs so far, which none are once the comparison is complete
};

/// Returns the standard deviation of the logarithm of measured speed-ups around that of predicted ones, over orders of six small contractions
/// that services.measured() runs. 95 % of these speed-ups lie within prediction::z95_two_sided deviations. Precision and threads are those of
/// `like`. Throws Cancelled.
double measured_speed_up_error(const LayoutServices& services, const LayoutsRequest& like, const RunContext& context);

LayoutsResult choose_layouts(const LayoutServices& services, const LayoutsRequest& request, const RunContext& context);

}  // namespace flopcast
