#pragma once

#include <string_view>
#include <vector>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/algorithm/script.hpp"
#include "flopcast/core/trace.hpp"

namespace flopcast::algorithm {

/// A blocked algorithm, written once for all precisions.
struct Algorithm {
  std::string_view family;  ///< of the LAPACK routine that it does the work of: "geqrf"
  std::int32_t (*run)(const Call& call, const BlockParameters& blocks, const Script& script);
};

/// Every algorithm there is.
const std::vector<Algorithm>& algorithms();

/// The algorithm for `routine`; throws bad_input naming those there are.
const Algorithm& require(const Routine& routine);

/// Calls of the algorithm for `call`'s routine, at virtual addresses; allocations are named by the argument ("A", "tau", "work"). Addresses in `call` are not used;
/// a work size of 0 becomes what full blocks need.
Trace record(const Call& call, const BlockParameters& blocks);

/// Executes the algorithm on the operands that `call` names; returns LAPACK's info.
std::int32_t execute(const Call& call, const BlockParameters& blocks, const FunctionLookup& lookup);

/// How a trace of `call` is called: the routine, its flags after a colon ("dpotrf:L"), its integer arguments by name, nb, nbmin and nx.
Configuration configuration(const Call& call, const BlockParameters& blocks);

/// One allocation for each operand of `call`, in the order of the interface, at address 0.
std::vector<Allocation> operand_allocations(const Call& call);

}  // namespace flopcast::algorithm
