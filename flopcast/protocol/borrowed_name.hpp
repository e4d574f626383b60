#pragma once

#include <string_view>

/// Routines that query ilaenv for their own block size under another routine's name. Many others query foreign names, too, but only to size
/// a workspace for the routines that they call. This file needs no run-time library, because it is preloaded into programs.
namespace flopcast::protocol {

/// Names of LAPACK routines in lower case, without the letter of the precision.
struct BorrowedName {
  std::string_view routine;  ///< the routine that queries ilaenv
  std::string_view name;     ///< the name that it passes
};

/// List taken from the sources of LAPACK 3.11; geqrfp is skipped, because its best block sizes are those of geqrf. The routines trevc3,
/// trsyl3 and latrs3 are skipped, because no routine queries their borrowed names for itself.
inline constexpr BorrowedName borrowed_names[] = {
    {"geqp3", "geqrf"}, {"tzrzf", "gerqf"}, {"ormrz", "ormrq"}, {"unmrz", "unmrq"}, {"pstrf", "potrf"}};

/// Returns "geqrf" for "dgeqp3"; empty for routines that use their own name, and for text that names no routine.
constexpr std::string_view borrowed_name(std::string_view routine) noexcept {
  for (const BorrowedName& borrowed : borrowed_names) {
    if (!routine.empty() && routine.substr(1) == borrowed.routine) {
      return borrowed.name;
    }
  }
  return {};
}

}  // namespace flopcast::protocol
