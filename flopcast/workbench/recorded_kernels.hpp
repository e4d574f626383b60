#pragma once

#include <optional>
#include <string>

#include "flopcast/program/peak.hpp"
#include "flopcast/program/recorded_place.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/workbench/kernel_choice.hpp"

/// The kernels that a recorded program's BLAS had, and the best ones of that library for this CPU.
namespace flopcast {

struct RecordedKernels {
  std::string library;                   ///< name of the BLAS's file
  std::string had;                       ///< as the library calls them: "Prescott"
  KernelSettings had_setting;            ///< variables that select them; empty: the library chooses them by itself
  KernelSettings best_setting;           ///< variables that select the best ones; empty: the library chooses them by itself
  double had_flops = 0, best_flops = 0;  ///< of dgemm, flops per second, one thread; 0: not known

  /// Whether the best ones make dgemm much faster.
  [[nodiscard]] bool misread() const;
  /// What is to be told of that, in words.
  [[nodiscard]] std::string text() const;
};

/// Nothing if this isn't the machine of the recording, if its BLAS isn't here, or if that doesn't tell its kernels. They are tried unless
/// that was done before.
std::optional<RecordedKernels> recorded_kernels(const interpose::RecordedPlace& place, const RunContext& context);

/// The best rate of the recorded BLAS's dgemm with the recorded threads and `kernels`, or the library's own choice if that is empty; measured
/// now in a third of a second, in a child process. Throws environment_error if that fails.
interpose::Peak measure_peak(const interpose::RecordedPlace& place, const KernelSettings& kernels);

}  // namespace flopcast
