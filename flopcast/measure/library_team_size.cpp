#include "flopcast/measure/library_team_size.hpp"

#include <algorithm>
#include <ctime>
#include <vector>

#include "flopcast/core/statistics.hpp"
#include "flopcast/measure/memory.hpp"
#include "flopcast/measure/precondition.hpp"
#include "flopcast/measure/prepared.hpp"

namespace flopcast::measure {
namespace {

Seconds cpu_seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The CPU time of some work.
struct Spent {
  Seconds all = 0;     ///< CPU time of the process
  Seconds caller = 0;  ///< CPU time of the calling thread
};

template <class Work>
Spent spent_on(Work work) {
  const Seconds all_before = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
  const Seconds caller_before = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
  work();
  const Seconds caller = cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - caller_before;
  return {cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - all_before, caller};
}

/// Returns the CPU time of reading the clocks.
Spent spent_on_nothing() {
  static constexpr int readings = 101;
  std::vector<double> all;
  std::vector<double> caller;
  for (int i = 0; i < readings; ++i) {
    const Spent nothing = spent_on([] {});
    all.push_back(nothing.all);
    caller.push_back(nothing.caller);
  }
  return {median(all), median(caller)};
}

}  // namespace

double team_size(const Call& call, const Environment& environment, const SessionServices& services, const TeamOptions& options) {
  static constexpr std::uint64_t seed = 1;
  static constexpr int windows = 4;
  const Experiment experiment = measure::experiment(call, Precondition{}, environment, 0);
  Memory memory;
  memory.reserve(memory_bytes(experiment));
  Prepared prepared(experiment, memory.begin(), services, seed);
  Sweeper sweeper(environment.caches);
  std::vector<std::int64_t> ticks(prepared.intervals() + 1);
  services.set_threads(prepared.threads());
  const Spent nothing = spent_on_nothing();
  const auto calls_for = [&](Seconds least) {
    Spent sum;
    const std::int64_t begin = services.wall.ticks();
    do {
      prepared.set_up(sweeper);
      const Spent spent = spent_on([&] { prepared.run(services.wall, ticks.data()); });
      sum.all += spent.all - nothing.all;
      sum.caller += spent.caller - nothing.caller;
    } while (services.wall.between(begin, services.wall.ticks()) < least);
    return sum.caller > 0 ? std::max(1.0, sum.all / sum.caller) : 1;
  };
  calls_for(options.spinning);
  double least = calls_for(options.duration);
  for (int again = 1; again < windows; ++again) {
    least = std::min(least, calls_for(options.duration));
  }
  return least;
}

}  // namespace flopcast::measure
