#pragma once

#include <utility>

#include "flopcast/contract/notation/contraction.hpp"
#include "flopcast/core/environment.hpp"

namespace flopcast::contract {

/// Returns a machine that nobody has: two private levels and a shared one, 10 GB/s from memory.
inline const Environment& machine() {
  static const Environment all = [] {
    Environment environment;
    for (const auto& [bytes, bandwidth] : {std::pair{1 << 15, 100e9}, {1 << 20, 50e9}, {1 << 24, 20e9}}) {
      CacheLevel level;
      level.capacity_bytes = bytes;
      level.bandwidth = bandwidth;
      environment.caches.push_back(level);
    }
    environment.memory_bandwidth = 10e9;
    environment.peak_flops = 50e9;
    return environment;
  }();
  return all;
}

inline Folded folded(const char* text, const Extents& extents) { return fold(make_contraction(parse_notation(text), extents)); }

}  // namespace flopcast::contract
