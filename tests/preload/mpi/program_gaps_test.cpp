#include "flopcast/preload/mpi/program_gaps.hpp"

#include <gtest/gtest.h>

namespace flopcast::preload::mpi {
namespace {

TEST(ProgramGaps, ShortOnesCountWithTheirUsualTimeAfterTheSameKernel) {
  ProgramGaps gaps;
  gaps.note_kernel(3);
  EXPECT_EQ(gaps.counted(1e-6, false), 1e-6) << "no usual time is known";
  gaps.counted(2e-6, true);
  EXPECT_EQ(gaps.counted(1e-6, false), 2e-6);
  EXPECT_EQ(gaps.counted(1, false), 1) << "a long one counts as it is";
  gaps.note_kernel(4);
  EXPECT_EQ(gaps.counted(1e-6, false), 1e-6);
}

TEST(ProgramGaps, VarianceAddsUpAlongThePath) {
  ProgramGaps gaps;
  gaps.note_kernel(0);
  gaps.counted(1e-6, true);
  gaps.counted(3e-6, true);
  PageVector<selective::KernelRecord> kernels(1);
  EXPECT_EQ(gaps.variance_along(kernels), 0) << "it lies on no path";
  kernels[0].along.add(1);
  EXPECT_NEAR(gaps.variance_along(kernels), 1.5 * 2e-12, 1e-18);
}

}  // namespace
}  // namespace flopcast::preload::mpi
