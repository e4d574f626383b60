#include "flopcast/cache/access_distance.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace flopcast::cache {
namespace {

TEST(BytesSince, AgreesWithSums) {
  std::mt19937 random(1);
  for (const std::size_t times : {1U, 2U, 7U, 8U, 9U, 100U}) {
    BytesSince bytes(times);
    std::vector<std::int64_t> naive(times, 0);
    for (int step = 0; step < 200; ++step) {
      const auto time = std::uniform_int_distribution<std::size_t>(0, times - 1)(random);
      const auto change = std::uniform_int_distribution<std::int64_t>(-naive[time], 50)(random);
      naive[time] += change;
      bytes.add(static_cast<std::int64_t>(time), change);

      const auto from = std::uniform_int_distribution<std::size_t>(0, times - 1)(random);
      EXPECT_EQ(bytes.since(static_cast<std::int64_t>(from)),
                std::accumulate(naive.begin() + static_cast<std::ptrdiff_t>(from), naive.end(), 0LL));
      const auto limit = std::uniform_int_distribution<std::int64_t>(0, 2000)(random);
      std::int64_t expected = 0;
      for (auto t = naive.rbegin(); t != naive.rend() && expected <= limit; ++t) {
        expected += *t;
      }
      EXPECT_EQ(bytes.first_beyond(limit), expected);
    }
  }
}

TEST(BytesSince, AreZeroWithoutTimes) {
  const BytesSince bytes(0);
  EXPECT_EQ(bytes.total(), 0);
  EXPECT_EQ(bytes.first_beyond(10), 0);
}

}  // namespace
}  // namespace flopcast::cache
