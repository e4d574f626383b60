#pragma once

#include <string>

#include "flopcast/interpose/shared_progress.hpp"

namespace flopcast::interpose::mpi {

/// Tells flopcast, which waits for the end of this process, how the program gets on.
class ProgressReport {
 public:
  /// Begins to tell, in the memory that `file` holds. Nothing is told where it can't be opened, or is empty.
  void begin(const std::string& file) noexcept;

  void met_new_kernel() noexcept {
    if (shared_ != nullptr) {
      shared_->kernels.fetch_add(1, std::memory_order_relaxed);
    }
  }
  /// Whether data may no longer be the program's.
  void leaves_out(bool any) noexcept {
    if (shared_ != nullptr) {
      shared_->leaves_out.store(any ? 1 : 0, std::memory_order_relaxed);
    }
  }

 private:
  SharedProgress* shared_ = nullptr;
};

}  // namespace flopcast::interpose::mpi
