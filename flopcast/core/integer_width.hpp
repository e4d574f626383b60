#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "flopcast/core/routine_symbol.hpp"

/// BLAS and LAPACK have integers of 32 bits (LP64) or 64 bits (ILP64), often under the same names. Calls with the wrong width don't fail at
/// once: the routine reads sizes together with the bytes behind them, or writes results over these bytes.
namespace flopcast {

/// An integer argument for routines of either width: both read the same value.
using FortranInteger = std::int64_t;
static_assert(std::endian::native == std::endian::little, "a routine with 32-bit integers would read the upper half");

/// Returns the number of bytes of the integers that a library's routines take, 4 or 8; 0 if the library doesn't reveal it. `find` returns
/// the address of a symbol of the library, or nullptr; `prefix` and `suffix` surround the names of its Fortran routines. Calls at most two
/// of the library's functions, in a way that is harmless for either width.
template <class Find>
int integer_bytes(const Find& find, std::string_view prefix, std::string_view suffix) {
  const auto fortran = [&](std::string_view routine) { return find(SymbolName(prefix, routine, suffix).c_str()); };
  if (void* dot = fortran("ddot")) {
    // With 32-bit integers n is 1; with 64-bit integers n is negative and the result is 0.
    const FortranInteger n = INT64_MIN + 1, increment = 1;
    const double one = 1;
    using Dot = double (*)(const FortranInteger*, const double*, const FortranInteger*, const double*, const FortranInteger*);
    return reinterpret_cast<Dot>(dot)(&n, &one, &increment, &one, &increment) == 0 ? 8 : 4;
  }
  if (void* version = fortran("ilaver")) {
    FortranInteger major = -1, minor = -1, patch = -1;  // a routine with 32-bit integers leaves the upper half of each -1 unchanged
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
