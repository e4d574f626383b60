#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/program/profile.hpp"

namespace flopcast::program {

/// Language of an exported source.
enum class SourceLanguage : std::uint8_t { fortran, c };

/// A source that defines LAPACK's ilaenv.
struct IlaenvSource {
  std::string text;
  std::vector<std::string> routines;  ///< routines with tuned values, in the order of the profile, such as "dgetrf" or "dpotrf:L"
  std::vector<std::string> left_out;  ///< routines that ilaenv can't distinguish from another one, because they pass its name ("dgeqp3")
  friend bool operator==(const IlaenvSource&, const IlaenvSource&) = default;
};

/// Returns a function ilaenv that gives LAPACK the tuned block parameters of `profile`, without its `others`. Sizes are chosen between as
/// libflopcast-tuned.so does (protocol::nearest()). All other queries get the values of LAPACK 3.11: block sizes from a table, arithmetic
/// and parameters of the QR algorithm from LAPACK's own ieeeck and iparmq. Fortran needs a compiler for Fortran 2008, C one for C99. Throws
/// bad_input for a profile without tuned routines.
IlaenvSource ilaenv_source(const Profile& profile, SourceLanguage language);

}  // namespace flopcast::program
