#pragma once

#include <optional>
#include <string>

#include "flopcast/cli/program_tables.hpp"
#include "flopcast/interpose/program_trace.hpp"

namespace flopcast::cli {

/// Where a program was recorded, as far as the recording tells: names or paths that the library options take.
struct RecordedPlace {
  std::string blas;            ///< empty: not told
  std::string lapack;          ///< empty: not told
  std::optional<int> threads;  ///< of BLAS; nothing: not told
  std::string cpu;             ///< empty: not told
};

/// What the recording tells, in the names of what is installed here: a file that isn't is named by its path.
RecordedPlace recorded_place(const interpose::ProgramSummary& summary);

/// Where the recording doesn't tell the threads: what BLAS takes by itself here, one if it is serial, else one per core. Throws as
/// measure_peak does.
void assume_threads(RecordedPlace& place);

/// Whether this machine's CPU is the one on which the program was recorded.
bool is_this_machine(const RecordedPlace& place);

/// The best rate of the recorded BLAS's dgemm with the recorded threads, measured now in a third of a second. Throws environment_error or
/// bad_input if that library can't be opened here.
Peak measure_peak(const RecordedPlace& place);

}  // namespace flopcast::cli
