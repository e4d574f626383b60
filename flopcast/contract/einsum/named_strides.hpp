#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/contract/notation/expression.hpp"

namespace flopcast::contract {

/// Gives the tensor that a user names its strides. Operands are "1", "2" and so on, the result is "result"; expressions of one or two operands
/// also call them A, B and C. `strides.operands` must have a list per operand. Throws bad_input for a name that no tensor has, for strides
/// that are given twice, and unless there is a stride per index.
void give_strides(EinsumStrides& strides, const std::string& tensor, const std::vector<std::int64_t>& list, const Expression& expression);

}  // namespace flopcast::contract
