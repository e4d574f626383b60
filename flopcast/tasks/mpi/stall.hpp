#pragma once

#include <cstdint>
#include <string>
#include <thread>

#include "flopcast/protocol/mpi_options.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {

/// Detects programs that no longer make progress because kernels are skipped and results are garbage. A loop that ends once a residual is
/// small then never ends, and calls no new kernels any more; or processes wait for each other.
class Stall {
 public:
  /// Factor on the timeout for a program that makes no calls at all, because it may compute or wait for another process.
  static constexpr double silence = 5;

  /// `timeout` is how long a program may call kernels without meeting a new one.
  explicit Stall(Seconds timeout) : timeout_(timeout) {}

  /// Returns whether the stall has lasted too long at time `now`, by which the program has met `kernels` different ones in `calls`.
  /// Time in which no kernel is skipped doesn't count. `now` must grow from call to call.
  [[nodiscard]] bool has_lasted(Seconds now, std::uint64_t kernels, std::uint64_t calls, bool skips) noexcept;

 private:
  Seconds timeout_;
  Seconds looked_ = 0;                ///< time of the previous call of has_lasted()
  Seconds calling_ = 0, silent_ = 0;  ///< time with and without calls since the last new kernel
  std::uint64_t kernels_ = 0, calls_ = 0;
};

/// Ends a program that stalls. The watched process maps a file that lasts as long as this object.
class StallWatch {
 public:
  /// Starts watching. Throws environment_error if there is no memory to share.
  explicit StallWatch(Seconds timeout);
  StallWatch(const StallWatch&) = delete;
  StallWatch& operator=(const StallWatch&) = delete;
  /// Stops watching.
  ~StallWatch();

  /// Returns the path of a file with a protocol::SharedProgress, for other processes of this user.
  [[nodiscard]] std::string file() const;
  /// Returns whether the program was ended.
  [[nodiscard]] bool has_ended_it() const noexcept { return ended_.load(); }

 private:
  void watch() noexcept;

  Seconds timeout_;
  int file_ = -1;
  protocol::SharedProgress* shared_ = nullptr;
  std::atomic<bool> stops_ = false, ended_ = false;
  std::thread thread_;
};

}  // namespace flopcast
