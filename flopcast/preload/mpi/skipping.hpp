#pragma once

#include <cstdint>
#include <string>

#include "flopcast/preload/mpi/progress_report.hpp"

namespace flopcast::preload::mpi {

/// Knows whether this process's data may differ from the program's, because kernels were left out here or elsewhere, and reports that to
/// flopcast. The epoch counts resets: news from before the latest one are void.
class Skipping {
 public:
  /// Begins to report, in the memory that `file` holds.
  void begin(const std::string& file) noexcept { report_.begin(file); }
  /// Begins another epoch.
  void begin_epoch() noexcept { ++epoch_; }
  [[nodiscard]] std::int32_t epoch() const noexcept { return epoch_; }

  /// Returns whether data may no longer be the program's.
  [[nodiscard]] bool has_skipped() const noexcept { return has_skipped_; }
  /// Sets whether data may no longer be the program's.
  void set(bool skipped) noexcept {
    if (skipped != has_skipped_) {
      has_skipped_ = skipped;
      report_.leaves_out(skipped);
    }
  }
  /// Notes that data from another process, of execution `epoch`, may differ from the program's if `skipped`.
  void note_elsewhere(bool skipped, std::int32_t epoch) noexcept { set(has_skipped_ || (skipped && epoch == epoch_)); }
  /// Notes that the program has called a kernel, perhaps one that it hadn't met before.
  void note_kernel(bool is_new) noexcept { report_.met_kernel(is_new); }
  /// Reports that kernels are executed from here on.
  void end() noexcept { report_.leaves_out(false); }

 private:
  ProgressReport report_;
  std::int32_t epoch_ = 0;
  bool has_skipped_ = false;
};

}  // namespace flopcast::preload::mpi
