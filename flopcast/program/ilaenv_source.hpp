#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/program/saved_tuning.hpp"

namespace flopcast::program {

/// Returns a function ilaenv that gives LAPACK the tuned block parameters of `tuning file`, without its `others`. Sizes are chosen between as
/// libflopcast-tuned.so does (protocol::nearest()). All other queries get the values of LAPACK 3.11: block sizes from a table, arithmetic
/// and parameters of the QR algorithm from LAPACK's own ieeeck and iparmq. Fortran needs a compiler for Fortran 2008, C one for C99. Throws
/// bad_input for a tuning file without tuned routines.
IlaenvSource ilaenv_source(const SavedTuning& tuning, SourceLanguage language);

}  // namespace flopcast::program
