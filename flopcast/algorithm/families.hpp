#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flopcast/algorithm/algorithm.hpp"
#include "flopcast/core/routine.hpp"

namespace flopcast::algorithm {

/// Algorithms that compute the same thing, so that any of them may take another's place.
struct Family {
  std::string name;                 ///< as people say: "cholesky"
  std::string routine;              ///< LAPACK's name for it, without precision: "potrf"
  std::string description;          ///< "A = L L'"
  std::vector<std::string> others;  ///< other names: "potrf", "triangular-inverse"
  /// What the names of its variants begin with; the others of the routine are another family. LU without pivoting shares getrf's operands
  /// but not its result.
  std::string prefix;
  bool is_lapacks = true;  ///< whether LAPACK's routine computes it too
};

/// Families that are known by a name of their own.
const std::vector<Family>& families();

/// A family in one precision.
struct FamilyRoutine {
  const Family* family = nullptr;    ///< nullptr: a routine of the registry without family of its own
  const Routine* routine = nullptr;  ///< in the catalogue
  std::vector<const Algorithm*> variants;
  [[nodiscard]] std::string name() const { return family != nullptr ? family->name : routine->name; }
  [[nodiscard]] bool is_lapacks() const { return family == nullptr || family->is_lapacks; }
};

/// `family` without the variants that don't do the work of `call`, as those of sygst for other problems than itype 1; as it is if none does.
FamilyRoutine applicable(FamilyRoutine family, const Call& call);

/// What `name` stands for: a family ("cholesky", "lu-nopivot"; then in `precision`), or a routine in the precision that its name says
/// ("zpotrf"). Throws bad_input with the nearest names, or those there are.
FamilyRoutine find_family(std::string_view name, Precision precision = Precision::d);

}  // namespace flopcast::algorithm
