#pragma once

#include <string>

#include "flopcast/support/run_context.hpp"

namespace flopcast {

/// Where the BLAS that `program` is linked with misreads the CPU, sets the variable that selects better kernels in this process, and so in
/// its children, and tells the user. Which kernels are better is tried once per library. Of processes that ask at the same time one tries, and
/// the others wait for it. For a program that isn't linked with a BLAS, such as a script, whatever was found before is set. `kernels` =
/// "library" leaves the choice to the library, and so does a variable that the user has set. Nothing is set where the store or the library
/// can't be looked at. Throws environment_error if there is no such program.
void set_kernels_of(const std::string& program, const std::string& kernels, const RunContext& context);

}  // namespace flopcast
