#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::machine {

/// The caller's thread and helper threads that work at once, each on a CPU of its own meanwhile.
class ThreadTeam {
 public:
  /// One thread per CPU of the list. Throws environment_error if the system refuses threads, or doesn't let them be pinned.
  explicit ThreadTeam(std::vector<int> cpus);
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  [[nodiscard]] int size() const noexcept { return static_cast<int>(cpus_.size()); }

  /// Runs task(thread) on every thread and waits for all; passes on the first exception.
  void run(const std::function<void(int)>& task);
  /// Runs prepare(thread) on every thread, then work(thread) on all at once. Returns the seconds from the first start of work to its last
  /// end.
  Seconds time(const WallClock& clock, const std::function<void(int)>& prepare, const std::function<void(int)>& work);

 private:
  void meet();

  std::vector<int> cpus_;
  std::atomic<int> arrived_ = 0;
  std::atomic<std::int64_t> meeting_ = 0;
};

}  // namespace flopcast::machine
