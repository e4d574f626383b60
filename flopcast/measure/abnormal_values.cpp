#include "flopcast/measure/abnormal_values.hpp"

#include <cstring>

namespace flopcast::measure {
namespace {

/// Searches a region for odd numbers. `Bits` is an unsigned integer as wide as a number. A number is denormal if all exponent bits are
/// zero, but not the mantissa; infinity or NaN if all exponent bits are one.
template <class Bits, Bits exponent, Bits mantissa>
void look_through(const Region& region, AbnormalValues& found) {
  for (std::int64_t j = 0; j < region.columns; ++j) {
    const std::uintptr_t begin = region.address + static_cast<std::uintptr_t>(j * region.stride_bytes);
    const std::int64_t count = (region.column_bytes + j * region.growth_bytes) / static_cast<std::int64_t>(sizeof(Bits));
    const auto* const column = reinterpret_cast<const char*>(begin);
    for (std::int64_t i = 0; i < count; ++i) {
      Bits bits = 0;
      std::memcpy(&bits, column + i * static_cast<std::int64_t>(sizeof(Bits)), sizeof(Bits));
      found.denormal |= (bits & exponent) == 0 && (bits & mantissa) != 0;
      found.not_finite |= (bits & exponent) == exponent;
    }
  }
}

}  // namespace

AbnormalValues abnormal_values(const Call& call) {
  AbnormalValues found;
  for (const Operand& operand : operands(call)) {
    const Argument& argument = call.routine->arguments[operand.argument];
    if (argument.kind != Kind::data || argument.integer || operand.access == Access::read) {
      continue;
    }
    for (const Region& part : operand.parts) {
      if (real_bytes(call.routine->precision) == 8) {
        look_through<std::uint64_t, 0x7ff0000000000000U, 0x000fffffffffffffU>(part, found);
      } else {
        look_through<std::uint32_t, 0x7f800000U, 0x007fffffU>(part, found);
      }
    }
  }
  return found;
}

}  // namespace flopcast::measure
