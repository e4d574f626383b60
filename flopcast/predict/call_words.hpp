#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/placement.hpp"

namespace flopcast::predict {

/// Calls without their addresses as sequences of words: equal for calls that take equally long in the same cache state.
class CallWords {
 public:
  /// Routine, threads, scalars and all integer and flag arguments; holds until it is called again.
  std::span<const std::uint64_t> operator()(const Call& call);

 private:
  struct Layout {
    const Routine* routine = nullptr;
    std::vector<std::uint8_t> arguments;  // those that count
    std::size_t scalars = 0;
  };
  const Layout& layout(const Routine* routine);

  std::vector<Layout> layouts_;  // one per routine that was seen: few
  std::array<std::uint64_t, 2 + Call::most_arguments + 4> words_{};
};

/// `distance_bytes` rounded to its four leading bits, so that nearly equal placements share an estimate; off by at most 1/16.
[[nodiscard]] std::int64_t rounded_distance(std::int64_t distance_bytes) noexcept;

/// Level, dirtiness and rounded distance in one word.
[[nodiscard]] std::uint64_t word(const OperandState& state) noexcept;

}  // namespace flopcast::predict
