#include "flopcast/preload/mpi/program_gaps.hpp"

#include <algorithm>
#include <cstddef>

#include "flopcast/selective/prediction_interval.hpp"

namespace flopcast::preload::mpi {

Seconds ProgramGaps::counted(Seconds seconds, bool in_context) {
  constexpr Seconds longest = 2e-5;
  if (seconds > longest) {
    return seconds;
  }
  if (after_.size() <= last_kernel_) {
    after_.resize(last_kernel_ + std::size_t{1});
  }
  selective::KernelStatistics& usual = after_[last_kernel_];
  if (in_context) {
    usual.add(seconds);
  }
  return usual.count > 0 ? usual.mean : seconds;
}

double ProgramGaps::variance_along(const PageVector<selective::KernelRecord>& kernels) const {
  double variance = 0;
  for (std::size_t i = 0; i < std::min(after_.size(), kernels.size()); ++i) {
    variance += selective::variance_along(static_cast<double>(kernels[i].along.count), after_[i]);
  }
  return variance;
}

}  // namespace flopcast::preload::mpi
