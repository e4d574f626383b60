#pragma once

#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/tune/design.hpp"

namespace flopcast::tuning {

/// Returns the call with all sizes multiplied by `factor`, 0 to 1, with the leading dimensions and workspaces that they need and without
/// addresses. Sizes of 0 and 1 stay.
Call smaller_call(const Call& call, double factor);

/// Returns traces of one call each, to be sampled in place of the calls of `subjects` that are expected to take longer than `max_seconds`. Of
/// each such call there are three smaller ones, halved until they are expected to take `max_seconds` at most, and twice more.
std::vector<Subject> smaller_subjects(const std::vector<Subject>& subjects, const Environment& environment,
                                      const model::OnDemandModels& models, Seconds max_seconds);

}  // namespace flopcast::tuning
