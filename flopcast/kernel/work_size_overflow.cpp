#include "flopcast/kernel/work_size_overflow.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>

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

bool has_wrapped_around(const Call& call, std::size_t argument, std::int64_t answer) {
  static constexpr std::string_view with_matrices[] = {"gesdd", "heevd", "syevd"};
  static constexpr double far_below = 16;
  const Routine& routine = *call.routine;
  if (!overflowing_work_size(call)) {
    return false;
  }
  const int vectors = routine.index("jobz");
  const bool has_matrices = std::find(std::begin(with_matrices), std::end(with_matrices), routine.family) != std::end(with_matrices) &&
                            vectors >= 0 && call.flag(static_cast<std::size_t>(vectors)) != 'N';
  const double enough = routine.arguments[argument].rows.value(call.values());
  return answer < 0 || (has_matrices && enough > static_cast<double>(largest_integer) && static_cast<double>(answer) * far_below < enough);
}

Error work_size_overflow(const Call& call) {
  return bad_input(
      "{} needs a workspace whose size ({}) exceeds {}, the largest 32-bit integer. Choose smaller sizes, or a LAPACK with "
      "64-bit integers",
      to_string(call), call.routine->arguments[overflowing_work_size(call).value()].name, largest_integer);
}

}  // namespace flopcast::kernel
