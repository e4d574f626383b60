#pragma once

#include <string>

#include "flopcast/program/program_trace.hpp"

namespace flopcast::program {

/// Returns the place of a recording in the names of installed libraries. Libraries that are not installed here have their paths.
RecordedPlace recorded_place(const ProgramSummary& summary);

/// Returns the name under which a library with BLAS or LAPACK is installed; for others their path.
std::string library_name(const std::string& path);

/// Returns the file that a library of an anonymous recording has on this machine: the one library of this name, in a folder of the recorded
/// name, beside an installed library. Other paths stay.
std::string library_here(const std::string& recorded);

/// Sets the threads if the recording has none: one for a serial BLAS, else one per core, as BLAS takes by itself here. Leaves them open on
/// another machine, or if the BLAS isn't known or isn't here. Returns a remark for the user if more than one are assumed, else "".
std::string assume_threads(RecordedPlace& place);

/// Returns whether this machine's CPU is the one on which the program was recorded.
bool is_this_machine(const RecordedPlace& place);

}  // namespace flopcast::program
