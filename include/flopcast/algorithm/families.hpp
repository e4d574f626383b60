#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flopcast/algorithm/algorithm.hpp"
#include "flopcast/core/routine.hpp"

namespace flopcast::algorithm {

/// A family of algorithms that compute the same result and can replace each other.
struct Family {
  std::string name;                 ///< common name: "cholesky"
  std::string routine;              ///< LAPACK's name for it, without precision: "potrf"
  std::string description;          ///< "A = L L'"
  std::vector<std::string> others;  ///< other names: "potrf", "triangular-inverse"
  /// Prefix of the names of the family's variants; other variants of the routine belong to another family. LU without pivoting shares getrf's
  /// operands but not its result.
  std::string prefix;
  bool is_lapacks = true;  ///< true if LAPACK's routine computes the same result
};

/// Returns the families that have a common name.
const std::vector<Family>& families();

/// Returns whether a family has this name, or this other name.
bool is_family(std::string_view name);

/// A family in one precision.
struct FamilyRoutine {
  const Family* family = nullptr;    ///< nullptr for a routine of the registry without a family
  const Routine* routine = nullptr;  ///< in the catalogue
  std::vector<const Algorithm*> variants;
  [[nodiscard]] std::string name() const { return family != nullptr ? family->name : routine->name; }
  [[nodiscard]] bool is_lapacks() const { return family == nullptr || family->is_lapacks; }
};

/// Returns `family` without the variants that don't apply to `call`, such as those of sygst for itype 2; unchanged if none applies.
FamilyRoutine applicable(FamilyRoutine family, const Call& call);

/// Finds a family by name: a common name ("cholesky", "lu-nopivot"), in `precision`, or a routine with its precision ("zpotrf"). Throws
/// bad_input that lists the nearest names, or all of them.
FamilyRoutine find_family(std::string_view name, Precision precision = Precision::d);

}  // namespace flopcast::algorithm
