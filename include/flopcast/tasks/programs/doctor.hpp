#pragma once

/// Causes of lost time in a program, as far as its recording and predictions of changes show them, and their remedies.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/statistics.hpp"
#include "flopcast/program/recorded_run.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {

/// A program that is run and recorded once, or a recording of it.
struct DoctorRequest {
  std::vector<std::string> command;
  std::string recording;
  std::string keep;
  std::optional<int> threads;
  Duration time_budget = 30;
};

/// The causes that a finding can have.
enum class FindingCause : std::uint8_t {
  too_many_threads,  ///< BLAS has more threads than the program has CPUs
  nested_threads,    ///< several threads of the program call BLAS at once, and BLAS has threads, too
  threads_slow,      ///< BLAS is faster with fewer threads
  threads_unused,    ///< BLAS is faster with more threads
  other_programs,    ///< other programs had the cores
  reference_blas,    ///< the reference BLAS, where a faster one is installed
  misread_kernels,   ///< kernels of BLAS that suit another CPU
  several_blas,      ///< two BLAS in one process, and one of them is faster
  block_sizes,       ///< LAPACK is faster with other block sizes
  small_calls,       ///< many calls that are too small for BLAS
  operand_layout,    ///< operands that are transposed, or whose elements aren't neighbours
  first_calls,       ///< libraries start, and memory is touched for the first time
  denormals,         ///< numbers below the smallest normal one
  invalid_numbers,   ///< NaN or Inf
};

/// Returns the name of a cause in documents: "too_many_threads".
std::string to_string(FindingCause cause);

/// A cause of lost time that was measured or predicted.
struct Finding {
  FindingCause cause = FindingCause::first_calls;
  std::string what;      ///< "BLAS has 8 threads, and the program 2 CPUs"
  std::string evidence;  ///< measured facts: "1000 calls of dgemm took 3.1 s"
  std::string remedy;    ///< the command that mends it, or what to change in the program
  Seconds seconds = 0;   ///< recorded time that it is about
  /// Time that the remedy saves. Predicted gains have an interval of 95 %; where only a limit is known, it begins at 0.
  Interval gain;
  friend bool operator==(const Finding&, const Finding&) = default;
};

/// The findings about one run of a program.
struct ProgramDiagnosis : program::RecordedRun {
  int exit_code = 0;  ///< the program's own, or 128 plus the signal that ended it
  program::RecordedPlace recorded;
  std::int64_t calls = 0;
  Seconds call_seconds = 0;       ///< time in BLAS and LAPACK
  Seconds own_code_seconds = 0;   ///< time outside of them in the thread with the longest time in calls, which nothing here can mend
  std::vector<Finding> findings;  ///< sorted by falling gain
  /// Changes that were looked into and don't pay, or can't be predicted, with the reason.
  std::vector<std::string> examined;
  std::vector<std::string> warnings;  ///< remarks that the reader must know first
  friend bool operator==(const ProgramDiagnosis&, const ProgramDiagnosis&) = default;
};

/// Runs and records the program, or reads the recording, and lists what makes it slow by falling gain. Kernels that predictions lack are
/// measured within the time budget. Throws environment_error if the program doesn't exist, bad_input for a recording that can't be read,
/// and Cancelled.
ProgramDiagnosis diagnose_program(const DoctorRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-diagnosis-1", ...}.
std::string to_json(const ProgramDiagnosis& diagnosis);
ProgramDiagnosis program_diagnosis_from_json(std::string_view text);

template <>
Fields FieldTable<DoctorRequest>::fields();

}  // namespace flopcast
