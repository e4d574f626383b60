#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::machine {

/// Threads that each stay on a CPU and work at once.
class ThreadTeam {
 public:
  /// One thread per CPU of the list. Throws environment_error if the system doesn't let them be pinned.
  explicit ThreadTeam(std::vector<int> cpus);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  [[nodiscard]] int size() const noexcept { return static_cast<int>(cpus_.size()); }

  /// Runs task(thread) on every thread and waits for all; passes on the first exception.
  void run(const std::function<void(int)>& task);
  /// Runs prepare(thread) on every thread, then work(thread) on all at once. Returns the seconds from the first start of work to its last
  /// end.
  Seconds time(const WallClock& clock, const std::function<void(int)>& prepare, const std::function<void(int)>& work);

 private:
  void serve(int thread);
  void close();
  void meet();

  std::vector<int> cpus_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(int)>* task_ = nullptr;
  std::int64_t round_ = 0;
  int working_ = 0;
  bool closing_ = false;
  std::exception_ptr failure_;
  std::atomic<int> arrived_ = 0;
  std::atomic<std::int64_t> meeting_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace flopcast::machine
