#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "flopcast/core/routine_symbol.hpp"

/// BLAS and LAPACK come with integers of 32 bits (LP64) and of 64 (ILP64), often under the same names. The wrong ones don't fail at once:
/// sizes are read with what lies behind them, results are written over it.
namespace flopcast {

/// An integer as an argument of a routine: routines of both widths read the value that was meant.
using FortranInteger = std::int64_t;
static_assert(std::endian::native == std::endian::little, "a routine with 32-bit integers would read the upper half");

/// Bytes of the integers that a library's routines take, 4 or 8, found out by what the library does and says; 0 if nothing tells. `find`
/// gives the address of one of its symbols by name, or nullptr; `prefix` and `suffix` stand around the names of its Fortran routines. Calls
/// at most two of its functions, in a way that does no harm whatever the width.
template <class Find>
int integer_bytes(const Find& find, std::string_view prefix, std::string_view suffix) {
  const auto fortran = [&](std::string_view routine) { return find(SymbolName(prefix, routine, suffix).c_str()); };
  if (void* dot = fortran("ddot")) {
    // A vector of one element, or of a negative number of them, which gives 0.
    const FortranInteger n = INT64_MIN + 1, increment = 1;
    const double one = 1;
    using Dot = double (*)(const FortranInteger*, const double*, const FortranInteger*, const double*, const FortranInteger*);
    return reinterpret_cast<Dot>(dot)(&n, &one, &increment, &one, &increment) == 0 ? 8 : 4;
  }
  if (void* version = fortran("ilaver")) {
    FortranInteger major = -1, minor = -1, patch = -1;  // a routine with 32-bit integers leaves the upper half as it is
    reinterpret_cast<void (*)(FortranInteger*, FortranInteger*, FortranInteger*)>(version)(&major, &minor, &patch);
    return major >= 0 ? 8 : 4;
  }
  for (const std::string_view c_suffix : c_suffixes) {
    if (void* config = find(SymbolName(prefix, "openblas_get_config", c_suffix).c_str())) {
      const char* text = reinterpret_cast<const char* (*)()>(config)();
      return text != nullptr && std::string_view(text).find("USE64BITINT") != std::string_view::npos ? 8 : 4;
    }
  }
  if (void* size = find("bli_info_get_blas_int_type_size")) {
    return reinterpret_cast<std::int64_t (*)()>(size)() == 64 ? 8 : 4;
  }
  return 0;
}

}  // namespace flopcast
