#include "flopcast/machine/cpu/thread_team.hpp"

#include <algorithm>
#include <utility>

#include "flopcast/machine/cpu/affinity.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::machine {

ThreadTeam::ThreadTeam(std::vector<int> cpus) : cpus_(std::move(cpus)) {
  if (cpus_.empty()) {
    throw bad_input("no CPU given for a team of threads, expected at least one");
  }
  for (int thread = 0; thread < size(); ++thread) {
    threads_.emplace_back([this, thread] { serve(thread); });
  }
  try {
    run([this](int thread) { pin_this_thread({cpus_[static_cast<std::size_t>(thread)]}); });
  } catch (...) {
    close();  // a constructor that throws has no destructor to do it
    throw;
  }
}

ThreadTeam::~ThreadTeam() { close(); }

void ThreadTeam::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void ThreadTeam::serve(int thread) {
  std::int64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return closing_ || round_ != seen; });
    if (closing_) {
      return;
    }
    seen = round_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      (*task_)(thread);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure_ ? failure_ : failure;
    if (--working_ == 0) {
      done_.notify_one();
    }
  }
}

void ThreadTeam::run(const std::function<void(int)>& task) {
  std::unique_lock lock(mutex_);
  task_ = &task;
  working_ = size();
  failure_ = nullptr;
  ++round_;
  wake_.notify_all();
  done_.wait(lock, [this] { return working_ == 0; });
  if (failure_) {
    std::rethrow_exception(std::exchange(failure_, nullptr));
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
