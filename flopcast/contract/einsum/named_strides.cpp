#include "flopcast/contract/einsum/named_strides.hpp"

#include <fmt/format.h>

#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {
namespace {

/// Returns whether the tensors of an expression have letters as names.
bool have_letters(std::size_t operands) { return operands <= 2; }

/// Returns the place of a tensor's strides, or null for a name that no tensor has.
std::vector<std::int64_t>* place_of(EinsumStrides& strides, const std::string& tensor, const Expression& expression) {
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

}  // namespace

void give_strides(EinsumStrides& strides, const std::string& tensor, const std::vector<std::int64_t>& list, const Expression& expression) {
  std::vector<std::int64_t>* const place = place_of(strides, tensor, expression);
  if (place == nullptr) {
    throw bad_input("'{}' is no tensor; expected {}", tensor,
                    have_letters(expression.operands.size()) ? "A, B, C, 1, 2 or result" : "1, 2, ... or result");
  }
  if (!place->empty()) {
    throw bad_input("strides of {} are given twice; a tensor may have two names", tensor);
  }
  const bool is_result = place == &strides.result;
  const std::size_t axes =
      (is_result ? expression.result : expression.operands[static_cast<std::size_t>(place - strides.operands.data())]).labels.size();
  if (list.size() != axes) {
    throw bad_input("'{}' has {}, but {} given; expected one per index of '{}'", tensor,
                    axes == 1 ? "1 index" : fmt::format("{} indices", axes),
                    list.size() == 1 ? "1 stride is" : fmt::format("{} strides are", list.size()), to_string(expression));
  }
  *place = list;
}

}  // namespace flopcast::contract
