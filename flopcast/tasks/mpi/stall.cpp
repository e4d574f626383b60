#include "flopcast/tasks/mpi/stall.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds look_every{100};

/// Blocks all signals of this thread while it lives. A thread that is started meanwhile leaves them to the other threads.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

bool Stall::has_lasted(Seconds now, std::uint64_t kernels, std::uint64_t calls, bool skips) noexcept {
  const Seconds passed = now - looked_;
  looked_ = now;
  if (!skips || kernels != kernels_) {
    calling_ = silent_ = 0;
  } else if (calls != calls_) {
    calling_ += passed;
    silent_ = 0;
  } else {
    silent_ += passed;
  }
  kernels_ = kernels;
  calls_ = calls;
  return calling_ > timeout_ || silent_ > silence * timeout_;
}

StallWatch::StallWatch(Seconds timeout) : timeout_(timeout), file_(memfd_create("flopcast-mpi-progress", MFD_CLOEXEC)) {
  void* mapped = MAP_FAILED;
  if (file_ >= 0 &&
      (errno = posix_fallocate(file_, 0, sizeof(protocol::SharedProgress))) == 0) {  // touching memory that isn't there would end a process
    mapped = mmap(nullptr, sizeof(protocol::SharedProgress), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  }
  if (mapped == MAP_FAILED) {
    const int error = errno;
    if (file_ >= 0) {
      close(file_);
    }
    throw environment_error("can't make a file in memory for the program's progress: {}", std::strerror(error));
  }
  shared_ = static_cast<protocol::SharedProgress*>(mapped);
  const NoSignals none;
  thread_ = std::thread([this] { watch(); });
}

StallWatch::~StallWatch() {
  stops_ = true;
  thread_.join();
  munmap(shared_, sizeof(protocol::SharedProgress));
  close(file_);
}

std::string StallWatch::file() const { return fmt::format("/proc/{}/fd/{}", getpid(), file_); }

/// Ends the program when it stalls. A program that ignores SIGTERM is killed a moment later.
void StallWatch::watch() noexcept {
  constexpr Seconds grace = 2;
  const steady_clock::time_point start = steady_clock::now();
  const auto now = [start] { return std::chrono::duration<Seconds>(steady_clock::now() - start).count(); };
  Stall stall(timeout_);
  Seconds asked = 0;
  for (; !stops_; std::this_thread::sleep_for(look_every)) {
    const std::int32_t process = shared_->process.load();
    const bool skips = process > 0 && shared_->skips.load() != 0;
    const bool lasts = stall.has_lasted(now(), shared_->kernels.load(), shared_->calls.load(), skips);
    if (lasts && !ended_) {
      ended_ = true;
      asked = now();
      kill(process, SIGTERM);
    } else if (ended_ && now() - asked > grace) {
      kill(process, SIGKILL);
      return;
    }
  }
}

}  // namespace flopcast
