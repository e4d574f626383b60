#pragma once

#include <functional>
#include <string>

#include "command_line.hpp"

namespace subject {

/// A subject executes its command line, possibly several times in one launch with different values. It returns at rank 0 whether the check,
/// if requested, succeeded.
using Subject = bool (*)(CommandLine&);

/// Runs the subject between MPI_Init and MPI_Finalize, once for each configuration; without `flopcast mpi tune`, once. Exit codes: 0 done,
/// 1 the check failed, 2 usage error.
int run(int argc, char** argv, const char* usage, Subject subject);

/// Ends the program with all its processes.
[[noreturn]] void stop(const std::string& why);

/// Returns the wall time of `work` on all processes. flopcast measures this time only, without the making of matrices.
double seconds_of(const std::function<void()>& work);

int world_size();
int world_rank();

}  // namespace subject
