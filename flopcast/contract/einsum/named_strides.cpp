#include "flopcast/contract/einsum/named_strides.hpp"

#include <fmt/format.h>

#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {
namespace {

/// Returns whether the tensors of an expression have letters as names.
bool have_letters(std::size_t operands) { return operands <= 2; }

}  // namespace

std::vector<std::int64_t>* strides_of_tensor(EinsumStrides& strides, const std::string& tensor, const Expression& expression) {
  const std::size_t operands = expression.operands.size();
  if (tensor == "result" || (have_letters(operands) && tensor == "C")) {
    return &strides.result;
  }
  if (operands == 1 && tensor == "B") {
    throw bad_input("strides of B are given, but '{}' has one operand, A", to_string(expression));
  }
  std::size_t number = operands;
  if (have_letters(operands) && (tensor == "A" || tensor == "B")) {
    number = tensor == "A" ? 0 : 1;
  } else if (!tensor.empty() && tensor.find_first_not_of("0123456789") == std::string::npos) {
    number = static_cast<std::size_t>(parse_integer(tensor, "number of an operand", 1, static_cast<std::int64_t>(operands))) - 1;
  }
  return number < operands ? &strides.operands[number] : nullptr;
}

std::string names_of_tensors(std::size_t operands, const std::string& behind) {
  return have_letters(operands) ? fmt::format("A{0}, B{0}, C{0}, 1{0}, 2{0} or result{0}", behind)
                                : fmt::format("1{0}, 2{0}, ... or result{0}", behind);
}

}  // namespace flopcast::contract
