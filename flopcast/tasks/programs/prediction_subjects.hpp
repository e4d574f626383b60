#pragma once

#include <string>
#include <vector>

#include "flopcast/core/trace.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
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

/// Reads the trace in `file`, or the calls of a recorded program's threads, and gives them this number of threads of BLAS. Throws bad_input
/// if the file is neither, or holds no call that the catalogue describes.
std::vector<PredictionSubject> read_subjects(const std::string& file, int threads, const RunContext& context);

/// Notes how many calls of a recording are known by name only.
void note_left_out(const program::RecordedProgram& program, const RunContext& context);

}  // namespace flopcast
