#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/contract/einsum/einsum_plan.hpp"
#include "flopcast/contract/einsum/expression.hpp"

namespace flopcast::contract {

/// Returns the place in `strides` for the tensor that a user names, or null for a name that no tensor of the expression has. Operands are
/// "1", "2" and so on, the result is "result"; expressions of one or two operands also call them A, B and C. `strides` must have a list per
/// operand. Throws bad_input if the expression has fewer operands than the name needs.
std::vector<std::int64_t>* strides_of_tensor(EinsumStrides& strides, const std::string& tensor, const Expression& expression);

/// Returns the names that strides_of_tensor() knows in an expression of this many operands, each with `behind` behind it.
std::string names_of_tensors(std::size_t operands, const std::string& behind = "");

}  // namespace flopcast::contract
