#pragma once

#include <cstdint>
#include <string>
#include <thread>

#include "flopcast/core/units.hpp"
#include "flopcast/interpose/shared_progress.hpp"

namespace flopcast::interpose {

/// Decides that a program goes by its results, which are garbage where kernels are left out: a loop that ends once a residual is small never
/// ends, and calls no new kernels any more; or processes wait for each other.
class Standstill {
 public:
  /// A program that calls nothing at all may compute, or wait for another process: it has so many times the patience.
  static constexpr double silence = 5;

  /// `patience`: how long a program may call kernels without meeting a new one.
  explicit Standstill(Seconds patience) : patience_(patience) {}

  /// Whether that has lasted too long at time `now`, by which the program has met `kernels` in `calls`. Time in which nothing has been left out
  /// doesn't count. Called with growing times.
  [[nodiscard]] bool has_lasted(Seconds now, std::uint64_t kernels, std::uint64_t calls, bool leaves_out) noexcept;

 private:
  Seconds patience_;
  Seconds looked_ = 0;                ///< when it was asked last
  Seconds calling_ = 0, silent_ = 0;  ///< since the last new kernel
  std::uint64_t kernels_ = 0, calls_ = 0;
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
