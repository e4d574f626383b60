#include "flopcast/preload/mpi/core_time.hpp"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "flopcast/preload/kernels/wall_clock.hpp"

namespace flopcast::preload::mpi {
namespace {

/// Returns the time that this thread has waited for a core, from the second number of the system's account of it, in nanoseconds.
Seconds seconds_without_core() noexcept {
  const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);  // not kept, because the program may close it
  std::array<char, 80> text{};
  unsigned long long run = 0;
  unsigned long long waited = 0;
  const bool known =
      file >= 0 && ::read(file, text.data(), text.size() - 1) > 0 && std::sscanf(text.data(), "%llu %llu", &run, &waited) == 2;
  if (file >= 0) {
    close(file);
  }
  return known ? 1e-9 * static_cast<Seconds>(waited) : 0;
}

}  // namespace

CoreReading CoreTime::read_system() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return {FastWallClock::now(), static_cast<Seconds>(time.tv_sec) + 1e-9 * static_cast<Seconds>(time.tv_nsec), seconds_without_core()};
}

void CoreTime::start() {
  latest_ = read_();
  begun_ = latest_.wall;
  runs_ = true;
}

void CoreTime::stop() {
  if (runs_) {
    add(true);
    runs_ = false;
  }
}

bool CoreTime::pass(Seconds wall, bool ends_program) {
  constexpr Seconds rarely = 1e-3;
  const bool reads = runs_ && wall - latest_.wall >= rarely;
  if (reads) {
    const bool mostly = 2 * (wall - begun_) > wall - latest_.wall;  // what ends now took most of the time since the latest reading
    add(ends_program == mostly);
  }
  begun_ = wall;
  return reads;
}

void CoreTime::add(bool in_program) {
  const CoreReading now = read_();
  const Seconds wall = std::max(now.wall - latest_.wall, 0.0);
  const Seconds cpu = std::max(now.cpu - latest_.cpu, 0.0);
  const Seconds waiting = std::clamp(now.waiting - latest_.waiting, 0.0, wall);
  lost_.measured += wall;
  lost_.cpu += cpu;
  lost_.without_core += waiting;
  if (in_program) {
    lost_.program_without_core += waiting;
    lost_.blocked += std::max(wall - cpu - waiting, 0.0);
  }
  latest_ = now;
}

}  // namespace flopcast::preload::mpi
