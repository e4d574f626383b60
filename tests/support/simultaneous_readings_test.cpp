#include "flopcast/support/simultaneous_readings.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace flopcast {
namespace {

/// A counter and a clock of one tick per second. Another program gets the core before each reading, except in the attempt `calm`.
class SlowReadings {
 public:
  explicit SlowReadings(int calm) : calm_(calm) {}
  std::int64_t counter() { return read(); }
  double clock() { return static_cast<double>(read()); }

 private:
  std::int64_t read() {
    constexpr int readings_of_an_attempt = 3;
    now_ += readings_++ / readings_of_an_attempt == calm_ ? 1 : 1000;
    return now_;
  }

  int calm_;
  int readings_ = 0;
  std::int64_t now_ = 0;
};

TEST(SimultaneousReadings, AreThoseOfTheAttemptThatNothingInterrupted) {
  for (const int calm : {0, 4, 9}) {
    SlowReadings slow(calm);
    const auto [count, time] = simultaneous_readings([&] { return slow.counter(); }, [&] { return slow.clock(); });
    EXPECT_EQ(static_cast<double>(count), time) << calm;
    EXPECT_EQ(count, 3000 * calm + 2) << calm;
  }
}

TEST(SimultaneousReadings, MayBeOfACounterThatStandsStill) {
  const auto [count, time] = simultaneous_readings([] { return std::uint64_t{0}; }, [] { return 1.5; });
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(time, 1.5);
}

}  // namespace
}  // namespace flopcast
