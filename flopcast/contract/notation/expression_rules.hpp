#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "flopcast/contract/notation/expression.hpp"

namespace flopcast::contract {

/// Returns `operand 1` for number 0.
std::string name_of_operand(std::size_t number);

/// Returns the result of an expression without one: the axes of the ellipsis, if an operand has one, then in rising order every label that
/// occurs once.
Subscripts implicit_result(std::span<const Subscripts> operands);

/// Throws bad_input unless every label of the result is in an operand.
void check_result(const Expression& expression);

}  // namespace flopcast::contract
