#pragma once

#include <cstddef>
#include <string_view>

namespace flopcast {

/// The parts of the name under which a library exports a routine: `scipy_` `dgemm` `_64_`, `dgemm` `_`, `cblas_dgemm` `64_`, `DGEMM`.
struct RoutineSymbol {
  std::string_view prefix;   ///< one of symbol_prefixes
  std::string_view routine;  ///< "dgemm", "DGEMM", "cblas_dgemm"
  std::string_view suffix;   ///< one of fortran_suffixes, or of c_suffixes for a routine of CBLAS
};

/// Prefixes and suffixes of routines: the usual ones first, then those of SciPy's and Julia's builds of OpenBLAS, of reference LAPACK's
/// extended interface and of MKL.
inline constexpr std::string_view symbol_prefixes[] = {"", "scipy_"};
inline constexpr std::string_view fortran_suffixes[] = {"_", "_64_", "_64", "64_", ""};
inline constexpr std::string_view c_suffixes[] = {"", "64_", "_64", "_64_"};

inline constexpr bool is_c_routine(std::string_view routine) { return routine.starts_with("cblas_"); }

/// Returns the parts of `symbol`, whether or not such a routine exists.
inline constexpr RoutineSymbol routine_symbol(std::string_view symbol) {
  RoutineSymbol parts{"", symbol, ""};
  for (const std::string_view prefix : symbol_prefixes) {
    if (parts.routine.starts_with(prefix) && prefix.size() > parts.prefix.size()) {
      parts.prefix = prefix;
    }
  }
  parts.routine.remove_prefix(parts.prefix.size());
  const bool c = is_c_routine(parts.routine);
  const auto take_longest = [&parts](const auto& suffixes) {
    for (const std::string_view suffix : suffixes) {
      if (suffix.size() > parts.suffix.size() && parts.routine.ends_with(suffix)) {
        parts.suffix = suffix;
      }
    }
  };
  c ? take_longest(c_suffixes) : take_longest(fortran_suffixes);
  parts.routine.remove_suffix(parts.suffix.size());
  return parts;
}

/// A symbol's name, built without heap memory.
class SymbolName {
 public:
  SymbolName(std::string_view prefix, std::string_view routine, std::string_view suffix) noexcept {
    for (const std::string_view part : {prefix, routine, suffix}) {
      for (const char c : part) {
        if (length_ + 1 < sizeof text_) {
          text_[length_++] = c;
        }
      }
    }
  }
  [[nodiscard]] const char* c_str() const noexcept { return text_; }

 private:
  char text_[64]{};
  std::size_t length_ = 0;
};

}  // namespace flopcast
