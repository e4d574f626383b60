#include "flopcast/machine/cpu/other_load.hpp"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace flopcast::machine {
namespace {

double seconds_of(const timeval& time) { return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec); }

/// Returns the CPU time of all processes, and what other machines of the host took.
std::optional<double> machine_seconds() {
  const std::optional<MachineTimes> times = machine_times();
  return times ? std::optional(times->busy + times->stolen) : std::nullopt;
}

/// Returns the number of threads on this machine that run or wait for a core, without the calling one.
double other_runnable_threads() {
  std::ifstream file("/proc/loadavg");
  double minute = 0;
  double five = 0;
  double fifteen = 0;
  double runnable = 0;
  return file >> minute >> five >> fifteen >> runnable ? std::max(0.0, runnable - 1) : 0;
}

}  // namespace

double cpu_seconds(int who) {
  rusage used{};
  getrusage(who, &used);
  return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

std::int64_t peak_resident_bytes(int who) {
  rusage used{};
  getrusage(who, &used);
  return 1024 * static_cast<std::int64_t>(used.ru_maxrss);
}

std::optional<MachineTimes> machine_times() {
  std::ifstream file("/proc/stat");
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, soft_interrupts = 0, stolen = 0;  // proc(5)
  if (!(file >> name >> user >> nice >> system >> idle >> waiting >> interrupts >> soft_interrupts >> stolen) || name != "cpu") {
    return std::nullopt;
  }
  const auto ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  return MachineTimes{(user + nice + system + interrupts + soft_interrupts) / ticks_per_second, stolen / ticks_per_second};
}

OtherLoad::OtherLoad() : begin_(now()) {}

OtherLoad::LoadReading OtherLoad::now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return {machine_seconds(), cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN),
          static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec), other_runnable_threads()};
}

std::optional<double> OtherLoad::cores(double min_share) const {
  constexpr double min_wall = 0.5;  // the system counts in hundredths of a second
  const LoadReading end = now();
  const double wall = end.wall - begin_.wall;
  const double own = end.own - begin_.own;
  if (wall < min_wall) {
    return std::min({begin_.others, end.others, static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN))});
  }
  if (!begin_.machine || !end.machine || own < min_share * wall) {
    return std::nullopt;
  }
  return std::max(0.0, *end.machine - *begin_.machine - own) / wall;
}

}  // namespace flopcast::machine
