#include "flopcast/machine/caches/bandwidth_kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "flopcast/machine/caches/instruction_sets.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::machine {
namespace {

/// Three arrays of `doubles` numbers at whole lines, each followed by a line that must stay untouched.
class Arrays {
 public:
  explicit Arrays(std::size_t doubles) : stride_(doubles + 8), memory_(3 * stride_ + 8, 0) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    begin_ = memory_.data() + (64 - address % 64) % 64 / 8;
    for (std::size_t i = 0; i < 3 * stride_; ++i) {
      begin_[i] = 1 + 0.5 * static_cast<double>(i);
    }
  }
  double* operator[](std::size_t array) { return begin_ + array * stride_; }

 private:
  std::size_t stride_;
  std::vector<double> memory_;
  double* begin_ = nullptr;
};

/// Returns the value that element `was` of a gets; s is 1.
double expected(Stream stream, double was, double b, double c) {
  switch (stream) {
    case Stream::load:
    case Stream::update: return was;
    case Stream::store: return 1;
    case Stream::copy:
    case Stream::scale: return b;
    case Stream::add:
    case Stream::triad: break;
  }
  return b + c;
}

/// The lengths include multiples of a loop's step and other numbers.
TEST(BandwidthKernels, ComputeTheirStreamOnEveryElementAndNoOther) {
  for (const std::size_t doubles : {8U, 56U, 64U, 72U, 1000U}) {
    for (const BandwidthKernel& kernel : bandwidth_kernels()) {
      Arrays now(doubles), before(doubles);
      kernel.run(now[0], now[1], now[2], static_cast<std::int64_t>(8 * doubles), 1);
      for (std::size_t i = 0; i < doubles; ++i) {
        ASSERT_EQ(now[0][i], expected(kernel.stream, before[0][i], before[1][i], before[2][i])) << name(kernel.stream) << ' ' << i;
      }
      for (std::size_t i = doubles; i < doubles + 8; ++i) {
        ASSERT_EQ(now[0][i], before[0][i]) << name(kernel.stream) << " beyond its end";
      }
    }
  }
}

TEST(BandwidthKernels, HaveEveryStreamOnceAlsoInTheBaseline) {
  const std::array all = {Stream::load, Stream::store, Stream::copy, Stream::scale, Stream::add, Stream::triad, Stream::update};
  for (const Stream stream : all) {
    EXPECT_EQ(bandwidth_kernel(stream).stream, stream);
  }
  EXPECT_GE(baseline_loops().bandwidth.size(), all.size());
  EXPECT_THROW(bandwidth_kernel(Stream::load, true), Error);
}

TEST(StreamCost, TriadCountsAsInTheStreamBenchmark) {
  const StreamCost triad = cost(Stream::triad);
  EXPECT_EQ(triad.read_bytes + triad.written_bytes, 24);  // Tørring et al. 2021, III-B: 2 flops per 24 bytes
  EXPECT_EQ(triad.flops, 2);
  EXPECT_EQ(triad.allocated_bytes, 8);
  EXPECT_EQ(cost(Stream::update).allocated_bytes, 0) << "the line was read anyway";
}

}  // namespace
}  // namespace flopcast::machine
