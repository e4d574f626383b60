#include "flopcast/measure/system_backend.hpp"

#include <sys/resource.h>

#include <ctime>
#include <vector>

#include "flopcast/core/statistics.hpp"

namespace flopcast::measure {
namespace {

std::int64_t nanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// Median time between two readings that follow each other.
Seconds reading_overhead(const Timer& timer) {
  constexpr int readings = 1001;
  std::vector<double> gaps;
  for (int i = 0; i < readings; ++i) {
    const std::int64_t begin = timer.ticks();
    gaps.push_back(timer.between(begin, timer.ticks()));
  }
  return median(gaps);
}

Timer timer(clockid_t clock) {
  Timer timer{[clock] { return nanoseconds(clock); }, 1e-9, 0};
  timer.overhead = reading_overhead(timer);
  return timer;
}

std::int64_t involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

Backend system_backend(const machine::LibrarySet& libraries) {
  Backend backend;
  backend.find = [libraries](std::string_view routine) { return libraries.find(routine); };
  backend.set_threads = [libraries](int threads) { libraries.set_threads(threads); };
  backend.wall = timer(CLOCK_MONOTONIC);
  backend.cpu = timer(CLOCK_PROCESS_CPUTIME_ID);
  backend.disturbances = involuntary_switches;
  backend.libraries = libraries.blas().path + " and " + libraries.lapack().path;
  return backend;
}

}  // namespace flopcast::measure
