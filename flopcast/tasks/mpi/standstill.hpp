#pragma once

#include <cstdint>
#include <string>
#include <thread>

#include "flopcast/protocol/mpi_options.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {

/// Detects programs that no longer make progress because kernels are left out and results are garbage. A loop that ends once a residual is
/// small then never ends, and calls no new kernels any more; or processes wait for each other.
class Standstill {
 public:
  /// Factor on the patience for a program that makes no calls at all, because it may compute or wait for another process.
  static constexpr double silence = 5;

  /// `patience` is how long a program may call kernels without meeting a new one.
  explicit Standstill(Seconds patience) : patience_(patience) {}

  /// Returns whether the standstill has lasted too long at time `now`, by which the program has met `kernels` different ones in `calls`.
  /// Time in which no kernel is left out doesn't count. `now` must grow from call to call.
  [[nodiscard]] bool has_lasted(Seconds now, std::uint64_t kernels, std::uint64_t calls, bool leaves_out) noexcept;

 private:
  Seconds patience_;
  Seconds looked_ = 0;                ///< time of the previous call of has_lasted()
  Seconds calling_ = 0, silent_ = 0;  ///< time with and without calls since the last new kernel
  std::uint64_t kernels_ = 0, calls_ = 0;
};

/// Ends a program that stands still. The watched process maps a file that lasts as long as this object.
class StandstillWatch {
 public:
  /// Starts watching. Throws environment_error if there is no memory to share.
  explicit StandstillWatch(Seconds patience);
  StandstillWatch(const StandstillWatch&) = delete;
  StandstillWatch& operator=(const StandstillWatch&) = delete;
  /// Stops watching.
  ~StandstillWatch();

  /// Returns the path of a file with a protocol::SharedProgress, for other processes of this user.
  [[nodiscard]] std::string file() const;
  /// Returns whether the program was ended.
  [[nodiscard]] bool has_ended_it() const noexcept { return ended_.load(); }

 private:
  void watch() noexcept;

  Seconds patience_;
  int file_ = -1;
  protocol::SharedProgress* shared_ = nullptr;
  std::atomic<bool> stops_ = false, ended_ = false;
  std::thread thread_;
};

}  // namespace flopcast
