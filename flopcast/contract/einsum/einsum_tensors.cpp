#include "flopcast/contract/einsum/einsum_tensors.hpp"

#include <fmt/format.h>
#include <cstddef>
#include <cstdlib>
#include <random>
#include <set>

#include "flopcast/contract/algorithms/validate.hpp"
#include "flopcast/measure/memory.hpp"
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

/// A tensor's bytes from the lowest to the highest element, and the offset of the first element from the lowest (negative strides).
struct Room {
  std::int64_t bytes = 0, first_offset = 0;
};

Room room_of(const std::vector<Axis>& axes, std::int64_t element_bytes) {
  Room room{element_bytes, 0};
  for (const Axis& axis : axes) {
    const std::int64_t reach = (axis.extent - 1) * axis.stride * element_bytes;
    room.bytes += axis.extent > 0 ? std::abs(reach) : 0;
    room.first_offset += axis.extent > 0 && reach < 0 ? -reach : 0;
  }
  return room;
}

/// Returns the rooms of the operands, then that of the result. Throws environment_error if they are larger than the available memory.
std::vector<Room> rooms_of(const SizedExpression& expression, const EinsumStrides& strides, const PlanOptions& options) {
  const TensorAxes axes = tensor_axes(expression, strides, options.precision, options.order);
  std::vector<Room> rooms;
  double needed = 0;
  for (const std::vector<Axis>& tensor : axes.operands) {
    rooms.push_back(room_of(tensor, element_bytes(options.precision)));
  }
  rooms.push_back(room_of(axes.result, element_bytes(options.precision)));
  for (const Room& room : rooms) {
    needed += static_cast<double>(room.bytes);
  }
  if (const auto available = static_cast<double>(measure::available_memory_bytes()); needed > available) {
    throw environment_error("the tensors need {} of memory, but only {} are available", format_bytes(needed), format_bytes(available));
  }
  return rooms;
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

std::int64_t tensor_bytes(const TensorAxes& axes, const PlanOptions& options) {
  const std::int64_t bytes_of_element = element_bytes(options.precision);
  std::int64_t bytes = room_of(axes.result, bytes_of_element).bytes;
  std::set<int> counted_tensors;
  for (std::size_t i = 0; i < axes.operands.size(); ++i) {
    const int tensor = i < options.tensors.size() ? options.tensors[i] : -1;
    if (tensor < 0 || counted_tensors.insert(tensor).second) {
      bytes += room_of(axes.operands[i], bytes_of_element).bytes;
    }
  }
  return bytes;
}

void require_memory(const SizedExpression& expression, const EinsumStrides& strides, const PlanOptions& options) {
  static_cast<void>(rooms_of(expression, strides, options));
}

EinsumTensors::EinsumTensors(const SizedExpression& expression, const EinsumStrides& strides, const PlanOptions& options, unsigned seed) {
  std::mt19937 random(seed);
  for (const Room& room : rooms_of(expression, strides, options)) {
    auto memory = std::make_shared<measure::Memory>(room.bytes);
    auto* const begin = reinterpret_cast<std::byte*>(memory->begin());
    fill_random(options.precision, begin, room.bytes, random);
    result_ = begin + room.first_offset;
    starts_.push_back(result_);
    memory_.push_back(std::move(memory));
  }
}

}  // namespace flopcast::contract
