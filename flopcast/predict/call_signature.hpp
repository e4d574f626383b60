#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/placement.hpp"

namespace flopcast::prediction {

/// Encodes calls without their addresses as sequences of words, which are equal for calls that take equally long in the same cache state.
class CallSignature {
 public:
  /// Returns the routine, threads, scalars and all integer and flag arguments of `call`. The result is valid until the next call of this
  /// function.
  std::span<const std::uint64_t> operator()(const Call& call);

 private:
  struct Layout {
    const Routine* routine = nullptr;
    std::vector<std::uint8_t> arguments;  // positions of the encoded arguments
    std::size_t scalars = 0;
  };
  const Layout& layout(const Routine* routine);

  std::vector<Layout> layouts_;  // one per routine seen; there are few
  std::array<std::uint64_t, 2 + Call::max_arguments + 4> words_{};
};

/// Returns `distance_bytes` rounded to its four leading bits, so that nearly equal placements share an estimate. The error is at most 1/16.
[[nodiscard]] std::int64_t rounded_distance(std::int64_t distance_bytes) noexcept;

/// Returns the level, dirtiness and rounded distance in one word.
[[nodiscard]] std::uint64_t word(const OperandState& state) noexcept;

}  // namespace flopcast::prediction
