#include "flopcast/algorithm/families.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <utility>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::algorithm {
namespace {

bool begins_with(std::string_view text, std::string_view beginning) { return text.substr(0, beginning.size()) == beginning; }

std::string lower_case(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool is_called(const Family& family, const std::string& name) {
  return family.name == name || std::find(family.others.begin(), family.others.end(), name) != family.others.end();
}

/// Returns the family of an algorithm, or nullptr.
const Family* family_of(const Algorithm& algorithm) {
  const Family* found = nullptr;
  for (const Family& family : families()) {
    const bool same_routine = family.routine == algorithm.family || (family.routine == "sygst" && algorithm.family == "hegst");
    if (same_routine && begins_with(algorithm.variant, family.prefix) &&
        (found == nullptr || family.prefix.size() > found->prefix.size())) {
      found = &family;
    }
  }
  return found;
}

FamilyRoutine members(const Family* family, const Routine& routine) {
  FamilyRoutine result{family, &routine, {}};
  for (const Algorithm* algorithm : variants(routine)) {
    if (family_of(*algorithm) == family) {
      result.variants.push_back(algorithm);
    }
  }
  return result;
}

/// Returns the family's routine in `precision`; sygst is called hegst in complex precisions.
const Routine& routine_of(const Family& family, Precision precision) {
  const std::string stem = family.routine == "sygst" && is_complex(precision) ? "hegst" : family.routine;
  return kernel::require(static_cast<char>(precision) + stem);
}

/// Returns every name that find_family() accepts.
std::vector<std::string> all_names() {
  std::set<std::string> names;
  for (const Family& family : families()) {
    names.insert(family.name);
    names.insert(family.others.begin(), family.others.end());
  }
  for (const Algorithm& algorithm : algorithms()) {
    for (const char precision : {'s', 'd', 'c', 'z'}) {
      if (kernel::find(precision + algorithm.family) != nullptr) {
        names.insert(precision + algorithm.family);
      }
    }
  }
  return {names.begin(), names.end()};
}

Error unknown(std::string_view given) {
  const std::vector<std::string> nearest = nearest_names(given, all_names());
  if (!nearest.empty()) {
    return bad_input("unknown family '{}'; did you mean {}?", given, fmt::join(nearest, " or "));
  }
  std::vector<std::string> names;
  for (const Family& family : families()) {
    names.push_back(family.name);
  }
  return bad_input("unknown family '{}'; there are {}, and their LAPACK routines", given, fmt::join(names, ", "));
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> table = {
      {"cholesky", "potrf", "A = L L'", {"potrf"}, ""},
      {"trtri", "trtri", "inverse of a triangle", {"triangular-inverse"}, ""},
      {"lauum", "lauum", "L' L", {}, ""},
      {"lu", "getrf", "P A = L U by partial pivoting", {"getrf"}, ""},
      {"lu-nopivot", "getrf", "A = L U without pivoting", {"getrf-nopivot"}, "nopivot-", false},
      {"sygst", "sygst", "generalised eigenproblem to standard form", {"hegst"}, ""},
      {"sylvester", "trsyl", "A X + X B = C with triangles A and B", {"trsyl"}, ""},
      {"qr", "geqrf", "A = Q R", {"geqrf"}, ""},
  };
  return table;
}

FamilyRoutine applicable(FamilyRoutine family, const Call& call) {
  std::vector<const Algorithm*> some;
  std::copy_if(family.variants.begin(), family.variants.end(), std::back_inserter(some),
               [&](const Algorithm* variant) { return !variant->applies || variant->applies(call); });
  if (!some.empty()) {
    family.variants = std::move(some);
  }
  return family;
}

FamilyRoutine find_family(std::string_view name, Precision precision) {
  const std::string lower = lower_case(name);
  for (const Family& family : families()) {
    if (is_called(family, lower)) {
      return members(&family, routine_of(family, precision));
    }
  }
  const Routine* routine = kernel::find(lower);
  if (routine == nullptr) {
    throw unknown(name);
  }
  const Algorithm& standard = require(*routine);
  return members(family_of(standard), *routine);
}

bool is_family(std::string_view name) {
  return std::any_of(families().begin(), families().end(), [&](const Family& family) {
    return family.name == name || std::find(family.others.begin(), family.others.end(), name) != family.others.end();
  });
}

}  // namespace flopcast::algorithm
