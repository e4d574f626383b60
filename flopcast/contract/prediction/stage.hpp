#pragma once

#include <cstdint>

namespace flopcast::contract {

/// The degree to which micro-benchmarks recreate an algorithm's cache behaviour: each stage of paper 002 includes all stages before it. The
/// last stage is flopcast's own.
enum class Stage : std::uint8_t {
  repeated,          ///< section 3.1: the kernel is repeated on the same operands
  distance,          ///< 3.2: operands were last accessed as long ago as in the algorithm
  prefetching,       ///< 3.3: data that come next in memory have been prefetched
  failures,          ///< 3.4: prefetching fails at a new line
  first_iterations,  ///< 3.5: a loop's first iteration finds the caches in another state
  segments,          ///< not in the paper: segments of consecutive calls, at their own distances in memory
};

}  // namespace flopcast::contract
