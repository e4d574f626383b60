#include "flopcast/machine/caches/compute_kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "flopcast/machine/caches/vector_loops.hpp"

namespace flopcast::machine {
namespace {

TEST(ComputeKernels, CountTheirFlops) {
  for (const ComputeKernel& kernel : compute_kernels()) {
    const double operations = kernel.arithmetic == Arithmetic::multiply_add ? 2 : 1;
    EXPECT_EQ(kernel.flops_per_pass, kernel.lanes * operations * loops::chains) << ceiling_name(kernel);
    kernel.run(10);
  }
}

TEST(ComputeKernels, HaveDistinctNamesAndBothPrecisions) {
  std::set<std::string> names;
  std::set<RealPrecision> precisions;
  for (const ComputeKernel& kernel : compute_kernels()) {
    EXPECT_TRUE(names.insert(ceiling_name(kernel)).second) << ceiling_name(kernel);
    precisions.insert(kernel.precision);
  }
  EXPECT_EQ(precisions.size(), 2U);
  EXPECT_EQ(compute_kernels().front().lanes, 1) << "narrow vectors come first";
}

TEST(ComputeKernels, KeepNumbersNormal) {
  // The recurrences of vector_loops.hpp, from each chain's start.
  for (std::size_t chain = 0; chain < loops::chains; ++chain) {
    double x = 1.0 + static_cast<double>(chain);
    for (int i = 0; i < 10'000; ++i) {
      x = x * loops::factor + loops::summand;
      ASSERT_TRUE(std::isnormal(x));
    }
    EXPECT_NEAR(x, loops::summand / (1 - loops::factor), 1e-12);
  }
}

}  // namespace
}  // namespace flopcast::machine
