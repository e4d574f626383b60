#pragma once

#include <cstdint>
#include <string>

#include "flopcast/protocol/mpi_options.hpp"

namespace flopcast::preload::mpi {

/// Reports the program's progress to flopcast, which waits for the end of this process.
class ProgressReport {
 public:
  /// Begins to report, in the memory that `file` holds. Nothing is reported if it can't be opened, or is empty.
  void begin(const std::string& file) noexcept;

  /// Notes that the program has called a kernel, perhaps one that it hadn't met before.
  void met_kernel(bool is_new) noexcept {
    if (shared_ != nullptr) {
      shared_->calls.store(++calls_, std::memory_order_relaxed);
      shared_->kernels.store(kernels_ += is_new ? 1 : 0, std::memory_order_relaxed);
    }
  }
  /// Notes whether data may no longer be the program's.
  void leaves_out(bool any) noexcept {
    if (shared_ != nullptr) {
      shared_->leaves_out.store(any ? 1 : 0, std::memory_order_relaxed);
    }
  }

 private:
  protocol::SharedProgress* shared_ = nullptr;
  std::uint64_t calls_ = 0, kernels_ = 0;
};

}  // namespace flopcast::preload::mpi
