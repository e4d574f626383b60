#include "flopcast/machine/cpu/thread_team.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "flopcast/machine/cpu/helper_threads.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::machine {

ThreadTeam::ThreadTeam(std::vector<int> cpus) : cpus_(std::move(cpus)) {
  if (cpus_.empty()) {
    throw bad_input("no CPU given for a team of threads, expected at least one");
  }
  run([](int) {});
}

void ThreadTeam::run(const std::function<void(int)>& task) {
  enum class TeamStart { awaited, given, refused };
  std::atomic<TeamStart> start = TeamStart::awaited;
  bool is_refused = false;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto or_fail = [&](const auto& act) {
    try {
      act();
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = failure ? failure : std::current_exception();
    }
  };
  const auto work = [&](std::size_t thread) {
    if (thread == 0) {
      start = is_refused ? TeamStart::refused : TeamStart::given;
    }
    while (start == TeamStart::awaited) {
      std::this_thread::yield();
    }
    if (start == TeamStart::given) {  // all threads are there, so that they may wait for each other
      std::optional<PinnedFor> pinned;
      or_fail([&] { pinned.emplace(std::vector{cpus_[thread]}); });
      or_fail([&] { task(static_cast<int>(thread)); });
    }
  };
  run_with_helpers(cpus_.size(), work, [&](std::size_t) { is_refused = true; });
  if (is_refused) {
    throw environment_error("the system refuses {} threads; choose fewer", cpus_.size());
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

/// Spins, so that all go on within a fraction of a microsecond; yields after a while, in case there are more threads than CPUs.
void ThreadTeam::meet() {
  constexpr int spins = 20'000;
  const std::int64_t meeting = meeting_.load();
  if (++arrived_ == size()) {
    arrived_ = 0;
    ++meeting_;
    return;
  }
  for (int i = 0; meeting_.load() == meeting; ++i) {
    if (i > spins) {
      std::this_thread::yield();
    }
  }
}

Seconds ThreadTeam::time(const WallClock& clock, const std::function<void(int)>& prepare, const std::function<void(int)>& work) {
  std::vector<std::int64_t> starts(cpus_.size()), ends(cpus_.size());
  run([&](int thread) {
    prepare(thread);
    meet();
    const auto i = static_cast<std::size_t>(thread);
    starts[i] = clock.ticks();
    work(thread);
    ends[i] = clock.ticks();
  });
  return clock.seconds(*std::max_element(ends.begin(), ends.end()) - *std::min_element(starts.begin(), starts.end()));
}

}  // namespace flopcast::machine
