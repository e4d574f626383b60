#include "flopcast/tasks/mpi/stall.hpp"

#include <gtest/gtest.h>

namespace flopcast {
namespace {

/// A program that is examined once a second.
class Program {
 public:
  /// Returns the second in which the stall has lasted too long, or `most` if it hasn't by then. `calls` and `kernels` are the calls
  /// and the new kernels of each second.
  int seconds(int most, std::uint64_t calls, std::uint64_t kernels, bool skips = true) {
    for (int i = 1; i <= most; ++i) {
      calls_ += calls;
      kernels_ += kernels;
      if (standstill_.has_lasted(++now_, kernels_, calls_, skips)) {
        return i;
      }
    }
    return most;
  }

 private:
  Stall standstill_{60};
  Seconds now_ = 0;
  std::uint64_t calls_ = 0, kernels_ = 0;
};

TEST(Stall, DetectsALoopThatMeetsNoNewKernel) {
  Program program;
  EXPECT_EQ(program.seconds(100, 5, 1), 100);
  EXPECT_EQ(program.seconds(100, 5, 0), 61);
}

TEST(Stall, EndsWithANewKernel) {
  Program program;
  EXPECT_EQ(program.seconds(60, 5, 0), 60);
  EXPECT_EQ(program.seconds(1, 5, 1), 1);
  EXPECT_EQ(program.seconds(100, 5, 0), 61);
}

TEST(Stall, AllowsMoreTimeWithoutCalls) {
  Program program;
  EXPECT_EQ(program.seconds(290, 0, 0), 290) << "a long kernel, or one that is waited for";
  EXPECT_EQ(program.seconds(30, 1, 0), 30);
  EXPECT_EQ(program.seconds(400, 0, 0), 301);
}

TEST(Stall, TimeInWhichNothingIsLeftOutDoesNotCount) {
  Program program;
  EXPECT_EQ(program.seconds(1000, 5, 0, false), 1000);
  EXPECT_EQ(program.seconds(60, 5, 0), 60);
  EXPECT_EQ(program.seconds(1, 5, 0, false), 1);
  EXPECT_EQ(program.seconds(100, 5, 0), 61);
}

}  // namespace
}  // namespace flopcast
