#pragma once

#include <cstdint>
#include <string>

#include "flopcast/core/call.hpp"
#include "flopcast/residual/execution.hpp"

namespace flopcast::residual {

/// The result of checking one call.
struct CallCheck {
  bool has_relation = false;  ///< the result was compared; otherwise memory and error code only
  std::string fault;          ///< the relation that doesn't hold, an error code, or changed memory; empty: nothing is wrong
  double error = 0;           ///< largest error where it is largest against its bound, and the bound
  double bound = 0;
  [[nodiscard]] bool fails() const { return !fault.empty(); }
};

/// Returns whether the results of a routine are compared.
bool has_relation(const Routine& routine);

/// Fills operands, executes the call, and evaluates the relations that define the results in wider arithmetic. An error counts where it exceeds
/// the bound of rounding errors. Where the evaluation would take more than about 10^8 operations, sums of several columns with random signs
/// stand for the columns.
CallCheck check_call(const Call& call, const Execute& execute, std::uint64_t seed);

}  // namespace flopcast::residual
