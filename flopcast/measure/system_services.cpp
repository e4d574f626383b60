#include "flopcast/measure/system_services.hpp"

#include <cmath>
#include <ctime>
#include <utility>
#include <vector>

#include "flopcast/core/statistics.hpp"
#include "flopcast/machine/cpu/clock.hpp"

namespace flopcast::measure {
namespace {

Timer timer(std::function<std::int64_t()> ticks, Seconds seconds_per_tick) {
  constexpr int readings = 1001;
  Timer timer{std::move(ticks), seconds_per_tick, 0};
  std::vector<double> gaps;
  for (int i = 0; i < readings; ++i) {
    const std::int64_t begin = timer.ticks();
    gaps.push_back(timer.between(begin, timer.ticks()));
  }
  timer.overhead = median(gaps);
  return timer;
}

std::int64_t process_cpu_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// Counts the ticks of 10 ms that the hypervisor took. The count is looked up every 10 ms at most, because a look-up costs more than many a
/// timed call.
class StolenTicks {
 public:
  std::int64_t operator()() {
    constexpr std::int64_t tick_nanoseconds = 10'000'000;
    const std::int64_t now = machine::monotonic_nanoseconds();
    if (now - last_ >= tick_nanoseconds) {
      last_ = now;
      stolen_ = std::llround(100 * machine::stolen_seconds().value_or(0));
    }
    return stolen_;
  }

 private:
  std::int64_t last_ = 0, stolen_ = 0;
};

}  // namespace

SessionServices system_services(const machine::LibrarySet& libraries) {
  const machine::WallClock clock;
  SessionServices services;
  services.find = [libraries](std::string_view routine) { return libraries.find(routine); };
  services.set_threads = [libraries](int threads) { libraries.set_threads(threads); };
  services.wall = timer([clock] { return clock.ticks(); }, 1 / clock.ticks_per_second());
  services.cpu = timer(process_cpu_nanoseconds, 1e-9);
  services.disturbances = [stolen = StolenTicks()]() mutable { return machine::PreemptionDetector::involuntary_switches() + stolen(); };
  services.libraries = libraries.blas().path + " and " + libraries.lapack().path;
  services.integer_bytes = libraries.blas().integer_bytes;
  return services;
}

}  // namespace flopcast::measure
