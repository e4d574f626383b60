#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "flopcast/c/status.hpp"
#include "flopcast/flopcast.h"

namespace flopcast::tapp {

/// The workbench with which a process plans its products. Several threads may plan: they wait for each other. Where nothing can be kept in the
/// user's folders, choices are kept in this process only.
class ProductPlanner {
 public:
  ProductPlanner() {
    flopcast_workbench_options options = FLOPCAST_WORKBENCH_OPTIONS;
    options.note = [](const char* text, void* planner) { static_cast<ProductPlanner*>(planner)->add_remark(text); };
    options.user = this;
    c::throw_if_failed(flopcast_workbench_open(&bench_, &options));
  }
  ProductPlanner(const ProductPlanner&) = delete;
  ProductPlanner& operator=(const ProductPlanner&) = delete;
  ~ProductPlanner() { flopcast_workbench_close(bench_); }

  [[nodiscard]] flopcast_workbench* bench() const { return bench_; }
  /// Returns the remarks about opening libraries and store so far, each on a line of its own.
  [[nodiscard]] std::string remarks() {
    const std::scoped_lock lock(mutex_);
    return remarks_;
  }

 private:
  void add_remark(const char* text) {
    const std::scoped_lock lock(mutex_);
    remarks_ += std::string(text) + '\n';
  }

  std::mutex mutex_;  ///< held while remarks_ is used
  std::string remarks_;
  flopcast_workbench* bench_ = nullptr;
};

/// Returns the planner of this process. Products keep the planner, to which the workbench makes its remarks.
std::shared_ptr<ProductPlanner> shared_planner();

}  // namespace flopcast::tapp
