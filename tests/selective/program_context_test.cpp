#include "flopcast/selective/decision_rules.hpp"

#include <gtest/gtest.h>

namespace flopcast::selective {
namespace {

KernelRecord kernel_with_flops(double flops) {
  KernelRecord kernel;
  kernel.flops = flops;
  return kernel;
}

TEST(ProgramContext, SettlesAfterAMillisecondOfKernels) {
  ProgramContext context;
  const KernelRecord kernel = kernel_with_flops(1e5);
  EXPECT_TRUE(context.executed(kernel, 1e-4)) << "nothing was skipped yet";
  context.skipped();
  EXPECT_FALSE(context.is_in_context());
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(context.executed(kernel, 1e-4));
  }
  EXPECT_TRUE(context.is_in_context());
  EXPECT_TRUE(context.executed(kernel, 1e-4));
}

TEST(ProgramContext, ALongKernelBoundByArithmeticIsItsOwnContext) {
  ProgramContext context;
  context.skipped();
  EXPECT_TRUE(context.executed(kernel_with_flops(1e8), 1e-2));
  context.skipped();
  EXPECT_FALSE(context.executed(kernel_with_flops(1e7), 1e-2)) << "it is bound by memory";
}

}  // namespace
}  // namespace flopcast::selective
