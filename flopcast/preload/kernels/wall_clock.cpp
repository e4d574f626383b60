#include "flopcast/preload/kernels/wall_clock.hpp"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "flopcast/support/simultaneous_readings.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace flopcast::preload::mpi {
namespace {

/// Start and rate of the counter.
struct Rate {
  std::uint64_t ticks = 0;
  Seconds since = 0;
  Seconds per_tick = 0;  ///< 0: the counter isn't used
} rate;

std::uint64_t counter() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return 0;
#endif
}

Seconds time_of(clockid_t clock) noexcept {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<Seconds>(time.tv_sec) + 1e-9 * static_cast<Seconds>(time.tv_nsec);
}

Seconds system_time() noexcept { return time_of(CLOCK_MONOTONIC); }

/// Returns whether the system's clock uses the counter. The system has then verified that the counters of all cores agree.
bool system_uses_counter() noexcept {
  std::array<char, 8> name{};
  const int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return false;
  }
  const ssize_t bytes = read(file, name.data(), name.size());
  close(file);
  return counter() != 0 && bytes == 4 && std::string_view(name.data(), 4) == "tsc\n";
}

}  // namespace

Seconds FastWallClock::now() noexcept {
  return rate.per_tick > 0 ? rate.since + rate.per_tick * static_cast<Seconds>(counter() - rate.ticks) : system_time();
}

Seconds thread_cpu_time() noexcept { return time_of(CLOCK_THREAD_CPUTIME_ID); }

void FastWallClock::calibrate() noexcept {
  constexpr Seconds duration = 2e-3;  // gives the rate to a few parts in 100000
  if (!system_uses_counter()) {
    return;
  }
  const auto [first_count, first_time] = simultaneous_readings(counter, system_time);
  while (system_time() < first_time + duration) {
  }
  const auto [last_count, last_time] = simultaneous_readings(counter, system_time);
  rate = {last_count, last_time, (last_time - first_time) / static_cast<Seconds>(last_count - first_count)};
}

}  // namespace flopcast::preload::mpi
