#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"

/// Describes to the generators of stubs the interfaces in which the catalogue's routines are called.
namespace flopcast::preload {

/// Returns the C type of a function's result in gfortran's interface.
const char* result_type(const Routine& routine);

/// Source of an argument of the transposed problem, which is column-major, among the arguments of the row-major problem.
struct RowMajorSource {
  std::size_t from = 0;
  const char* turn = "";  ///< function of cblas_flags.hpp for a flag; empty: the flag stays
};

/// A function of CBLAS that computes the same as a routine of the catalogue.
struct CblasFunction {
  const Routine* routine = nullptr;
  std::string layout;                ///< a letter for each of the routine's arguments, as in record_layout()
  bool has_order = false;            ///< its first parameter says whether matrices are row-major
  bool has_target = false;           ///< its last parameter, `to`, takes the complex result
  std::vector<RowMajorSource> rows;  ///< for each of the routine's arguments
  std::vector<std::string> types;    ///< types of its parameters
  std::vector<std::string> names;    ///< names of its parameters: order, a0, a1, ..., to
  std::string result;                ///< type of its result
  std::string result_part;           ///< float or double, the type of a complex result's parts

  [[nodiscard]] std::string parameters() const;
};

/// Returns the description of CBLAS's function `symbol`; nothing if the catalogue lacks its routine or the two interfaces don't correspond.
std::optional<CblasFunction> cblas_function(const std::string& symbol);

}  // namespace flopcast::preload
