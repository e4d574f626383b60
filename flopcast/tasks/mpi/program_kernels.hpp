#pragma once

#include <string>

#include "flopcast/support/run_context.hpp"

namespace flopcast {

/// Sets the variable that selects better kernels of BLAS, in this process and so in its children, if the BLAS that `program` is linked with
/// detects the wrong CPU; a note tells the user. The better kernels are found by trying, once per library; of processes that ask at the
/// same time one tries, and the others wait. A program that isn't linked with a BLAS, such as a script, gets the kernels found before. If
/// the user has set a variable of that BLAS, it stays, and the first process tells the user if it selects slow kernels. Nothing is set if
/// `tuned` is false, or the store or the library can't be read. Throws environment_error if there is no such program.
void set_kernels_of(const std::string& program, bool tuned, const RunContext& context);

}  // namespace flopcast
