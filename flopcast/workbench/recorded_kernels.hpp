#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/recorded_place.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/workbench/kernel_choice.hpp"

/// The kernels that a recorded program's BLAS had, and the best ones of that library for this CPU.
namespace flopcast {

struct RecordedKernels {
  std::string library;                   ///< name of the BLAS's file
  std::string had;                       ///< the recorded kernels, as the library calls them: "Prescott"
  KernelSettings had_setting;            ///< variables that select the recorded kernels; empty: the library chooses them by itself
  KernelSettings best_setting;           ///< variables that select the best ones; empty: the library chooses them by itself
  double had_flops = 0, best_flops = 0;  ///< rates of dgemm in flops per second, one thread; 0: not known

  /// Returns whether the best kernels make dgemm much faster than the recorded ones.
  [[nodiscard]] bool misread() const;
  /// Returns a sentence for the user about the difference.
  [[nodiscard]] std::string text() const;
};

/// Compares the recorded kernels with the best ones, which are tried unless that was done before. Returns nothing on another machine than
/// that of the recording, without its BLAS, or if the BLAS doesn't name its kernels.
std::optional<RecordedKernels> recorded_kernels(const program::RecordedPlace& place, const RunContext& context);

/// Returns a remark for the user if variables in the environment select kernels of the BLAS in `file` that are much slower than the best
/// ones; else an empty text. Both are timed unless that was done before. Throws environment_error if the library can't be opened.
std::string environment_remark(const std::filesystem::path& file, const RunContext& context);

/// Measures the best rate of the recorded BLAS's dgemm with the recorded threads and `kernels`; empty `kernels` leave the choice to the
/// library. The measurement takes a third of a second in a child process. Throws environment_error if that fails.
program::PeakRate measure_peak(const program::RecordedPlace& place, const KernelSettings& kernels);

}  // namespace flopcast
