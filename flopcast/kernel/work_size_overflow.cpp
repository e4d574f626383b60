#include "flopcast/kernel/work_size_overflow.hpp"

#include <cstdint>
#include <limits>

#include "flopcast/core/routine.hpp"

namespace flopcast::kernel {
namespace {

constexpr std::int64_t largest_integer = std::numeric_limits<std::int32_t>::max();

}  // namespace

std::optional<std::size_t> overflowing_work_size(const Call& call) {
  if (call.integer_bytes == 8) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    const Argument& argument = call.routine->arguments[i];
    if (argument.kind == Kind::work_size && argument.rows.value(call.values()) > static_cast<double>(largest_integer)) {
      return i;
    }
  }
  return std::nullopt;
}

Error work_size_overflow(const Call& call) {
  return bad_input(
      "{} needs a workspace whose size ({}) exceeds {}, the largest 32-bit integer. Choose smaller sizes, or a LAPACK with "
      "64-bit integers",
      to_string(call), call.routine->arguments[overflowing_work_size(call).value()].name, largest_integer);
}

}  // namespace flopcast::kernel
