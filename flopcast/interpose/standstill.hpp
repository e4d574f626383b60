#pragma once

#include <cstdint>
#include <string>
#include <thread>

#include "flopcast/core/units.hpp"
#include "flopcast/interpose/shared_progress.hpp"

namespace flopcast::interpose {

/// Decides that a program goes by its results: where kernels are left out these are garbage, and a loop that ends once a residual is small
/// never ends. Such a program meets no new kernels any more.
class Standstill {
 public:
  /// `patience`: how long a program may do without a new kernel.
  explicit Standstill(Seconds patience) : patience_(patience) {}

  /// Whether the program has done without a new kernel for too long at time `now`, by which it has met `kernels`. Time in which nothing has
  /// been left out doesn't count. Called with growing times.
  [[nodiscard]] bool has_lasted(Seconds now, std::uint64_t kernels, bool leaves_out) noexcept;

 private:
  Seconds patience_, since_ = 0;
  std::uint64_t kernels_ = 0;
};

/// Ends a program that stands still. The process that is watched finds the memory in a file that lasts as long as this object.
class StandstillWatch {
 public:
  /// Throws environment_error if there is no memory to share.
  explicit StandstillWatch(Seconds patience);
  StandstillWatch(const StandstillWatch&) = delete;
  StandstillWatch& operator=(const StandstillWatch&) = delete;
  /// Watches no longer.
  ~StandstillWatch();

  /// File with a SharedProgress, for other processes of this user.
  [[nodiscard]] std::string file() const;
  /// Whether the program was ended.
  [[nodiscard]] bool has_ended_it() const noexcept { return ended_.load(); }

 private:
  void watch() noexcept;

  Seconds patience_;
  int file_ = -1;
  SharedProgress* shared_ = nullptr;
  std::atomic<bool> stops_ = false, ended_ = false;
  std::thread thread_;
};

}  // namespace flopcast::interpose
