#pragma once

#include <string>

#include "flopcast/interpose/recorder.hpp"

namespace flopcast::cli {

/// The files of what a program is to load instead of its own libraries; empty: it keeps its own. With a BLAS named the LAPACK is, unless it
/// is named too, the one that tuning takes by default, so that its calls reach that BLAS. Throws environment_error if a library isn't there
/// or is none.
interpose::LibraryFiles program_libraries(const std::string& blas, const std::string& lapack);

}  // namespace flopcast::cli
