#pragma once

#include <cstdint>
#include <vector>

namespace flopcast {

/// Returns first, first + step, ... up to `last`, the end included if a step meets it. Empty if `first` > `last`; `step` > 0.
inline std::vector<std::int64_t> range(std::int64_t first, std::int64_t last, std::int64_t step = 1) {
  std::vector<std::int64_t> all;
  for (std::int64_t value = first; value <= last && step > 0; value += step) {
    all.push_back(value);
  }
  return all;
}

}  // namespace flopcast
