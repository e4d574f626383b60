#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/predict/kernel_models.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/program/recorder.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/tune/block_size.hpp"
#include "flopcast/tune/design.hpp"

/// The evaluation of what-if questions reaches libraries, store and clock through these interfaces. Tests have services of their own.
namespace flopcast {

/// Libraries with threads and kernels, for which one question is answered.
class WhatIfLibraries {
 public:
  WhatIfLibraries() = default;
  WhatIfLibraries(const WhatIfLibraries&) = delete;
  WhatIfLibraries& operator=(const WhatIfLibraries&) = delete;
  virtual ~WhatIfLibraries() = default;

  [[nodiscard]] virtual const Environment& environment() const = 0;
  /// Returns models of the kernels in `traces`, after sampling for at most `budget`. They live as long as the place. `label` names the step.
  virtual const prediction::KernelModels& models(std::vector<tuning::Subject>& traces, Seconds budget, const std::string& label) = 0;
  /// Returns how far single runs lie from a recorded one because of the machine's state.
  virtual RunDeviation run_deviation() = 0;
  /// Returns the call itself or the calls within it that query ilaenv for a block size. Throws an Error if the routine can't be recorded.
  virtual std::vector<program::TunableCall> tunable_calls(const Call& call) = 0;
  /// Returns the kernel calls that the routine makes with these blocks.
  virtual std::vector<Call> kernel_calls(const Call& call, const algorithm::BlockParameters& blocks) = 0;
  /// Chooses the best block size of every problem.
  virtual tuning::BlockSizeResult choose_blocks(std::span<const tuning::Problem> problems, Seconds budget, const std::string& label) = 0;
};

/// Everything outside of the recording that decides about predictions.
struct WhatIfServices {
  /// Opens libraries. With `own_kernels`, the user's variables that select kernels have no effect.
  std::function<std::unique_ptr<WhatIfLibraries>(const machine::LibraryChoice& libraries, bool own_kernels)> open;
  /// Throws an Error if the program's calls can't be made with these libraries. Nothing is measured or loaded into this process yet.
  std::function<void(const WhatIf& question, const machine::LibraryChoice& libraries)> require_usable;
  /// Returns whether a library has one thread only, whatever is asked for.
  std::function<bool(const std::string& blas)> has_one_thread;
  /// Returns the bytes of a library's integers; nothing if its file doesn't show them.
  std::function<std::optional<int>(const std::string& blas)> integer_bytes = [](const std::string&) { return std::nullopt; };
  /// Returns whether the recorded libraries are here, on the machine of the recording.
  std::function<bool(const program::RecordedPlace& place)> is_here;
  double cpus = 1;  ///< CPUs' worth of time that threads share
};

/// Returns the services of this machine's libraries, store and clock. `context` must outlive the result.
WhatIfServices this_machine(const program::RecordedProgram& program, const RunContext& context);

}  // namespace flopcast
