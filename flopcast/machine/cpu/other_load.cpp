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

double cpu_seconds(int who) {
  rusage used{};
  getrusage(who, &used);
  return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

/// Returns the CPU time of all processes from the first line of /proc/stat.
std::optional<double> machine_seconds() {
  std::ifstream file("/proc/stat");
  std::string name;
  double user = 0;
  double nice = 0;
  double system = 0;
  double idle = 0;
  double waiting = 0;
  double interrupts = 0;
  double soft_interrupts = 0;
  double stolen = 0;
  if (!(file >> name >> user >> nice >> system >> idle >> waiting >> interrupts >> soft_interrupts >> stolen) || name != "cpu") {
    return std::nullopt;
  }
  return (user + nice + system + interrupts + soft_interrupts + stolen) / static_cast<double>(sysconf(_SC_CLK_TCK));
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

OtherLoad::OtherLoad() : begin_(now()) {}

OtherLoad::State OtherLoad::now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return {machine_seconds(), cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN),
          static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec), other_runnable_threads()};
}

std::optional<double> OtherLoad::cores(double min_share) const {
  constexpr double min_wall = 0.5;  // the system counts in hundredths of a second
  const State end = now();
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
