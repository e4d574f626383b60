#include "flopcast/preload/kernels/spin_backoff.hpp"

#include <sched.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace flopcast::preload::mpi {
namespace {

void pause() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace

bool SpinBackoff::is_over() noexcept {
  constexpr unsigned int short_wait = 256;   // longer than a message takes
  constexpr unsigned int long_wait = 65536;  // about a millisecond
  if (crowded_) {
    sched_yield();
    return true;
  }
  if (++looks_ > short_wait) {
    pause();  // a third of a short message's time, too long while one is expected
  }
  if (looks_ % short_wait != 0) {
    return false;
  }
  if (looks_ > long_wait) {
    sched_yield();
  }
  return true;
}

}  // namespace flopcast::preload::mpi
