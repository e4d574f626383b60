#pragma once

#include <functional>
#include <string>

#include "command_line.hpp"

namespace subject {

/// A subject: does what its command line says, perhaps several times in one launch, with other values, and gives back whether the check, if asked for, went well (at rank 0).
using Subject = bool (*)(CommandLine&);

/// Runs it between MPI_Init and MPI_Finalize, once for each configuration: without flopcast mpi tune, once. Exit codes: 0 done, 1 the check failed, 2 usage.
int run(int argc, char** argv, const char* usage, Subject subject);

/// Ends the program with all of its processes.
[[noreturn]] void stop(const std::string& why);

/// Wall time of what all processes do together. Only that is measured by flopcast, not the making of matrices.
double seconds_of(const std::function<void()>& work);

int world_size();
int world_rank();

}  // namespace subject
