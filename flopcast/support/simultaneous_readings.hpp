#pragma once

#include <limits>
#include <utility>

namespace flopcast {

/// Reads a counter of ticks and a clock at one moment, and returns both. Another program may get the core between two readings; therefore
/// the pair counts that the fewest ticks passed around, of several.
template <class Counter, class Clock>
[[nodiscard]] auto simultaneous_readings(Counter counter, Clock clock) noexcept {
  constexpr int attempts = 10;
  using Ticks = decltype(counter());
  std::pair<Ticks, decltype(clock())> best{};
  Ticks fewest = std::numeric_limits<Ticks>::max();
  for (int i = 0; i < attempts; ++i) {
    const Ticks before = counter();
    const auto time = clock();
    const Ticks around = counter() - before;
    if (around < fewest) {
      fewest = around;
      best = {before + around / 2, time};
    }
  }
  return best;
}

}  // namespace flopcast
