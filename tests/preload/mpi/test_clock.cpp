#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "flopcast/preload/kernels/wall_clock.hpp"

/// A clock for tests, linked into the preloaded library in place of wall time and of CPU time, so that no other program's work shows in a
/// test's times. Each reading takes FLOPCAST_TEST_TICK nanoseconds (1 by default), and further time passes only by flopcast_test_pass().
/// That time passes for all processes that share the file FLOPCAST_TEST_CLOCK; without the file, for the calling process.
namespace flopcast::preload::mpi {
namespace {

using Nanoseconds = std::atomic<std::int64_t>;

Nanoseconds* passed_time() noexcept {
  static Nanoseconds own{0};
  const char* name = std::getenv("FLOPCAST_TEST_CLOCK");
  const int file = name == nullptr ? -1 : open(name, O_RDWR | O_CLOEXEC);
  if (file < 0) {
    return &own;
  }
  void* mapped = mmap(nullptr, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return mapped == MAP_FAILED ? &own : static_cast<Nanoseconds*>(mapped);
}

Nanoseconds& passed() noexcept {
  static Nanoseconds* const time = passed_time();
  return *time;
}

std::int64_t tick() noexcept {
  const char* text = std::getenv("FLOPCAST_TEST_TICK");
  return text == nullptr ? 1 : std::atoll(text);
}

}  // namespace

Seconds FastWallClock::now() noexcept {
  static const std::int64_t own_tick = tick();
  static std::int64_t ticked = 0;
  ticked += own_tick;
  return 1e-9 * static_cast<Seconds>(passed().load() + ticked);
}

void FastWallClock::calibrate() noexcept {}

Seconds thread_cpu_time() noexcept { return FastWallClock::now(); }

}  // namespace flopcast::preload::mpi

extern "C" {

/// Lets time pass; programs refer to this function weakly.
[[gnu::visibility("default")]] void flopcast_test_pass(double seconds) {
  flopcast::preload::mpi::passed() += static_cast<std::int64_t>(1e9 * seconds);
}
}
