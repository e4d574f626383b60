#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/call.hpp"

/// How much programs use LAPACK's blocked routines.
namespace flopcast::kernel {

/// Matrices that programs call a routine with.
enum class Shapes : std::uint8_t {
  square,
  rectangular,  ///< tall and wide ones with a ratio of 4, too
};

/// A routine with flags, as programs call it.
struct LapackUse {
  const Routine* routine = nullptr;
  std::map<std::string, std::string> flags;
  Shapes shapes = Shapes::square;
  double weight = 0;  ///< how often programs spend their time in it, relative to the others
};

/// Returns the routines of LAPACK that may query ilaenv, in the given precisions (letters), the most used first. Each precision weighs 0.4 of
/// the one before it. Throws usage_error for letters that are no precision, or none.
std::vector<LapackUse> lapack_uses(std::string_view precisions);

/// Returns square problems of the given orders; of rectangular matrices also tall and wide ones with as many elements.
std::vector<Call> typical_calls(const LapackUse& use, const std::vector<std::int64_t>& orders);

}  // namespace flopcast::kernel
