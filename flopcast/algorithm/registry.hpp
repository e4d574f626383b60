#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "flopcast/algorithm/algorithm.hpp"
#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/algorithm/script.hpp"
#include "flopcast/core/trace.hpp"

namespace flopcast::algorithm {

/// Every algorithm there is, family by family.
const std::vector<Algorithm>& algorithms();

/// The algorithms that do the work of `routine`, in the order of algorithms(); none if there is none.
std::vector<const Algorithm*> variants(const Routine& routine);

/// The algorithm for `routine` called `variant`, or LAPACK's if `variant` is empty; throws bad_input naming those there are.
const Algorithm& require(const Routine& routine, std::string_view variant = {});

/// Calls of an algorithm for `call`'s routine, at virtual addresses; allocations are named by the argument ("A", "tau", "work"), memory of
/// the algorithm's own local0, local1, ... Addresses in `call` are not used; a work size of 0 becomes what full blocks need. Throws
/// bad_input if `algorithm` is of another family.
Trace record(const Call& call, const BlockParameters& blocks, const Algorithm& algorithm);
/// The same for require(*call.routine, variant).
Trace record(const Call& call, const BlockParameters& blocks, std::string_view variant = {});

/// Executes an algorithm on the operands that `call` names; returns LAPACK's info. Throws bad_input if `algorithm` is of another family.
std::int32_t execute(const Call& call, const BlockParameters& blocks, const FunctionLookup& lookup, const Algorithm& algorithm);
/// The same with what earlier executions have left.
std::int32_t execute(const Call& call, const BlockParameters& blocks, const std::shared_ptr<Runtime>& runtime, const Algorithm& algorithm);
/// The same for require(*call.routine, variant).
std::int32_t execute(const Call& call, const BlockParameters& blocks, const FunctionLookup& lookup, std::string_view variant = {});

/// `call` with a work size of 0 replaced by what `algorithm` needs for full blocks.
Call with_workspace(const Call& call, const BlockParameters& blocks, const Algorithm& algorithm);

/// How a trace of `call` is called: the routine, its variant after a slash where it isn't LAPACK's, its flags after a colon ("dpotrf:L",
/// "dpotrf/recursive:L"); its integer arguments by name, nb, nbmin and nx.
Configuration configuration(const Call& call, const BlockParameters& blocks, std::string_view variant = {});

/// One allocation for each operand of `call`, in the order of the interface, at address 0.
std::vector<Allocation> operand_allocations(const Call& call);

}  // namespace flopcast::algorithm
