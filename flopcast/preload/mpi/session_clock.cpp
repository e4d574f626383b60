#include "flopcast/preload/mpi/session_clock.hpp"

#include <sys/resource.h>

namespace flopcast::preload::mpi {

void SessionClock::end_call() noexcept {
  if (rest_ != nullptr && estimates_) {
    resumed_ = rest_->end(done_, [this] { return now(); });
  } else {
    return_to_program();
  }
  rest_ = nullptr;
}

void SessionClock::note_system_time(selective::TimeSpent* spent) noexcept {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  const Seconds seconds = static_cast<Seconds>(used.ru_stime.tv_sec) + 1e-6 * static_cast<Seconds>(used.ru_stime.tv_usec);
  const auto faults = static_cast<double>(used.ru_minflt);
  if (spent != nullptr) {
    spent->system += seconds - system_;
    spent->page_faults += faults - page_faults_;
  }
  system_ = seconds;
  page_faults_ = faults;
}

}  // namespace flopcast::preload::mpi
