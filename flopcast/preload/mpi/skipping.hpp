#pragma once

#include <cstdint>
#include <string>

#include "flopcast/protocol/mpi_options.hpp"

namespace flopcast::preload::mpi {

/// Knows whether this process's data may differ from the program's, because kernels were skipped here or elsewhere, and reports that to
/// flopcast. The epoch counts resets: news from before the latest one are void.
class Skipping {
 public:
  /// Begins to report, in the memory that `file` holds. Nothing is reported if it can't be opened, or is empty.
  void begin(const std::string& file) noexcept;
  /// Begins another epoch.
  void begin_epoch() noexcept { ++epoch_; }
  [[nodiscard]] std::int32_t epoch() const noexcept { return epoch_; }

  /// Returns whether data may no longer be the program's.
  [[nodiscard]] bool has_skipped() const noexcept { return has_skipped_; }
  /// Sets whether data may no longer be the program's.
  void set(bool skipped) noexcept {
    if (skipped != has_skipped_) {
      has_skipped_ = skipped;
      report(skipped);
    }
  }
  /// Notes that data from another process, of execution `epoch`, may differ from the program's if `skipped`.
  void note_elsewhere(bool skipped, std::int32_t epoch) noexcept { set(has_skipped_ || (skipped && epoch == epoch_)); }
  /// Notes that the program has called a kernel, perhaps one that it hadn't met before.
  void note_kernel(bool is_new) noexcept {
    if (shared_ != nullptr) {
      shared_->calls.store(++calls_, std::memory_order_relaxed);
      shared_->kernels.store(kernels_ += is_new ? 1 : 0, std::memory_order_relaxed);
    }
  }
  /// Reports that kernels are executed from here on.
  void end() noexcept { report(false); }

 private:
  void report(bool skipped) noexcept {
    if (shared_ != nullptr) {
      shared_->skips.store(skipped ? 1 : 0, std::memory_order_relaxed);
    }
  }

  protocol::SharedProgress* shared_ = nullptr;
  std::uint64_t calls_ = 0, kernels_ = 0;
  std::int32_t epoch_ = 0;
  bool has_skipped_ = false;
};

}  // namespace flopcast::preload::mpi
