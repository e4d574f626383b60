#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"

/// What the programs that write stubs know of the interfaces in which routines of the catalogue are called.
namespace flopcast::interpose {

/// The C type of a function's result in gfortran's interface.
const char* result_type(const Routine& routine);

/// How the transpose of a row-major problem, which is column-major, takes one of its arguments from the row-major ones.
struct RowMajorSource {
  std::size_t from = 0;
  const char* turn = "";  ///< function of cblas_flags.hpp for a flag; empty: the flag stays
};

/// A function of CBLAS that computes what a routine of the catalogue does.
struct CblasFunction {
  const Routine* routine = nullptr;
  std::string layout;                ///< a letter for each of the routine's arguments, as record_layout() has them
  bool has_order = false;            ///< its first parameter says whether matrices are row-major
  bool has_target = false;           ///< its last parameter, `to`, takes the complex result
  std::vector<RowMajorSource> rows;  ///< by the routine's arguments
  std::vector<std::string> types;    ///< of its parameters
  std::vector<std::string> names;    ///< of its parameters: order, a0, a1, ..., to
  std::string result;                ///< type
  std::string result_part;           ///< float or double, of a complex result

  [[nodiscard]] std::string parameters() const;
};

/// What `symbol` of CBLAS is in the catalogue; nothing if the catalogue hasn't got it or the two interfaces don't correspond.
std::optional<CblasFunction> cblas_function(const std::string& symbol);

}  // namespace flopcast::interpose
