#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "flopcast/algorithm/algorithm.hpp"
#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/algorithm/script.hpp"
#include "flopcast/core/trace.hpp"

namespace flopcast::algorithm {

/// Returns all algorithms, family by family.
const std::vector<Algorithm>& algorithms();

/// Returns the algorithms for `routine` in the order of algorithms(); empty if there are none.
std::vector<const Algorithm*> variants(const Routine& routine);

/// Returns the algorithm for `routine` with the name `variant`, or LAPACK's if `variant` is empty. Throws bad_input that lists the variants.
const Algorithm& require(const Routine& routine, std::string_view variant = {});

/// Records the calls of an algorithm for the routine of `call`, at virtual addresses. Allocations are named by the argument ("A", "tau",
/// "work"), local memory of the algorithm local0, local1, ... Addresses in `call` are ignored; a work size of 0 is replaced by the size
/// that full blocks need. Throws bad_input if `algorithm` belongs to another family.
Trace record(const Call& call, const BlockParameters& blocks, const Algorithm& algorithm);
/// Records require(*call.routine, variant).
Trace record(const Call& call, const BlockParameters& blocks, std::string_view variant = {});

/// Executes an algorithm on the operands of `call`; returns LAPACK's info. Throws bad_input if `algorithm` belongs to another family.
std::int32_t execute(const Call& call, const BlockParameters& blocks, const FunctionLookup& lookup, const Algorithm& algorithm);
/// Executes an algorithm and reuses the resources of earlier executions.
std::int32_t execute(const Call& call, const BlockParameters& blocks, const std::shared_ptr<Runtime>& runtime, const Algorithm& algorithm);
/// Executes require(*call.routine, variant).
std::int32_t execute(const Call& call, const BlockParameters& blocks, const FunctionLookup& lookup, std::string_view variant = {});

/// Returns `call` with a work size of 0 replaced by the catalogue's, which suffices for any reasonable block size of the library's routine.
Call with_workspace(const Call& call);
/// Returns `call` with a work size of 0 replaced by the size that `algorithm` needs for full blocks.
Call with_workspace(const Call& call, const BlockParameters& blocks, const Algorithm& algorithm);

/// Returns the configuration that names a trace of `call`. It consists of the routine, its variant after a slash unless it is LAPACK's, and
/// its flags after a colon ("dpotrf:L", "dpotrf/recursive:L"). Its parameters are the integer arguments, nb, nbmin and nx.
Configuration configuration(const Call& call, const BlockParameters& blocks, std::string_view variant = {});

/// Moves the operands of `call` to virtual addresses. Returns one allocation for each, in the order of the interface.
std::vector<Allocation> place_operands(Call& call);

}  // namespace flopcast::algorithm
