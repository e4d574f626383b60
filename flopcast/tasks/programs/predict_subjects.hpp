#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/core/trace.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {

/// A trace to be predicted and how its row in the table is called.
struct PredictSubject {
  std::string sizes, blocks;  ///< of a recorded program: its thread, "-"
  double flops = 0;           ///< of the routine, not of its kernels, which do more
  Trace trace;
  std::vector<Seconds> pauses = {};  ///< of a recorded program's thread: its own code before each call
  /// What the models alone expect of a recorded program's thread, where `predicted` is more than that: what they expect to change in the
  /// recorded time.
  std::optional<Seconds> by_models = {};
};

/// The LAPACK routine `name` for every problem and every combination of block sizes in `words` (name=value), recorded with the libraries of
/// `bench`. Throws usage_error for words that don't fit, bad_input for block sizes that the LAPACK never asks for.
std::vector<PredictSubject> record_subjects(const std::string& name, std::vector<std::string> words, int threads, const Workbench& bench,
                                            const RunContext& context);

/// The trace in `file`, or what the threads of a recorded program have called, with so many threads of BLAS. Throws bad_input if it is
/// neither, or holds no call that the catalogue describes.
std::vector<PredictSubject> read_subjects(const std::string& file, int threads, const RunContext& context);

/// Says how many calls of a recording are known by name only.
void tell_left_out(const interpose::ProgramTraceFile& file, const RunContext& context);

}  // namespace flopcast
