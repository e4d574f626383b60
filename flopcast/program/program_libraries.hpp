#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "flopcast/program/recorder.hpp"

namespace flopcast::interpose {

/// The files of what a program is to load instead of its own libraries; empty: it keeps its own. With a BLAS named the LAPACK is, unless it
/// is named too, the one that tuning takes by default, so that its calls reach that BLAS. Libraries with 64-bit integers take the place of
/// libblas64.so.3 and liblapack64.so.3 where the program of this command line asks for these. Throws environment_error if a library can't be
/// opened, takes 64-bit integers that the program doesn't pass, or would give wrong results where several threads of a program call it; bad_input if there is none of that
/// name.
LibraryFiles program_libraries(const std::string& blas, const std::string& lapack, const std::vector<std::string>& command);

/// Says that the program with this command line took its BLAS from the file `taken` instead of the `chosen` one, and why, as far as the
/// program's files tell. Empty if the two are variants of one library, or nothing was chosen.
std::string other_blas_note(const std::vector<std::string>& command, const std::filesystem::path& taken, const LibraryFiles& chosen);

}  // namespace flopcast::interpose
