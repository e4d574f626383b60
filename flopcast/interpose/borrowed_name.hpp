#pragma once

#include <string_view>

/// Routines that ask ilaenv for their own block size under another routine's name. Many others ask under foreign names, too, but only to
/// size a workspace for what they call. Nothing in here needs a run-time library: it is preloaded into programs.
namespace flopcast::interpose {

/// LAPACK names in lower case, without the letter of the precision.
struct BorrowedName {
  std::string_view routine;  ///< asks ...
  std::string_view name;     ///< ... under this name
};

/// As in the sources of LAPACK 3.11. Not geqrfp: what is best for geqrf is best for it; nor trevc3, trsyl3, latrs3, whose borrowed names
/// nothing asks under for itself.
inline constexpr BorrowedName borrowed_names[] = {
    {"geqp3", "geqrf"}, {"tzrzf", "gerqf"}, {"ormrz", "ormrq"}, {"unmrz", "unmrq"}, {"pstrf", "potrf"}};

/// "geqrf" of "dgeqp3"; empty for routines that ask under their own name, and for what is none.
constexpr std::string_view borrowed_name(std::string_view routine) noexcept {
  for (const BorrowedName& borrowed : borrowed_names) {
    if (!routine.empty() && routine.substr(1) == borrowed.routine) {
      return borrowed.name;
    }
  }
  return {};
}

}  // namespace flopcast::interpose
