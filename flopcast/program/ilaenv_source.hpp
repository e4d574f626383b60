#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/program/profile.hpp"

namespace flopcast::program {

/// Returns a function ilaenv that gives LAPACK the tuned block parameters of `profile`, without its `others`. Sizes are chosen between as
/// libflopcast-tuned.so does (protocol::nearest()). All other queries get the values of LAPACK 3.11: block sizes from a table, arithmetic
/// and parameters of the QR algorithm from LAPACK's own ieeeck and iparmq. Fortran needs a compiler for Fortran 2008, C one for C99. Throws
/// bad_input for a profile without tuned routines.
IlaenvSource ilaenv_source(const Profile& profile, SourceLanguage language);

}  // namespace flopcast::program
