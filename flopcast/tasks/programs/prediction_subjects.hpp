#pragma once

#include <string>
#include <vector>

#include "flopcast/core/trace.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/opened_recording.hpp"
#include "flopcast/tasks/programs/predict.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {

/// A trace to be predicted and its labels in tables.
struct PredictionSubject {
  std::string sizes, blocks;  ///< for a recorded program the thread and "-"
  double flops = 0;           ///< flops of the routine. Its kernels do more.
  Trace trace;
  std::vector<Seconds> pauses = {};  ///< for a recorded thread: time of own code before each call
  [[nodiscard]] bool is_thread() const noexcept { return !pauses.empty(); }
};

/// Records the LAPACK routine `name` for every combination of sizes and block sizes with the libraries of `bench`. Throws usage_error
/// without sizes, bad_input for block sizes that the LAPACK never queries.
std::vector<PredictionSubject> record_subjects(const LapackProblems& problems, const Workbench& bench, const RunContext& context);

/// Reads the trace in `file`, and gives its calls this number of threads of BLAS. Throws bad_input if the file has none.
PredictionSubject read_subject(const std::string& file, int threads);

/// Returns the calls of a recorded program's threads, one subject each, with this number of threads of BLAS. Throws bad_input, which names
/// the file, if there is no call that the catalogue describes.
std::vector<PredictionSubject> thread_subjects(const OpenedRecording& recording, const std::string& file, int threads,
                                               const RunContext& context);

/// Notes how many calls of a recording are known by name only.
void note_skipped(const program::RecordedProgram& program, const RunContext& context);

}  // namespace flopcast
