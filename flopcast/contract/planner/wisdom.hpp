#pragma once

#include <optional>
#include <string>

#include "flopcast/contract/planner/candidates.hpp"
#include "flopcast/contract/planner/plan.hpp"

/// Choices that outlive the process.
namespace flopcast::contract {

/// Name of the conditions under which a choice holds: folded sizes and strides, threads, machine and library, effort and its permitted
/// cost, and the family of candidates.
std::string wisdom_name(const Contraction& contraction, const Machine& machine, const PlanOptions& options);

/// Returns the choice of an earlier plan under the same name. Returns nothing if there is none, it can't be read, or options.wisdom is
/// null.
std::optional<Candidate> find_wisdom(const Contraction& contraction, const Machine& machine, const PlanOptions& options);

/// Keeps `chosen` under that name; nothing happens if options.wisdom is null.
void keep_wisdom(const Contraction& contraction, const Machine& machine, const PlanOptions& options, const Candidate& chosen);

}  // namespace flopcast::contract
