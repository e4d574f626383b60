#include "flopcast/path/costs.hpp"

#include <algorithm>

namespace flopcast::path {

// Written out, since it is computed several times for every message, and a loop over `metrics` takes twice as long.

Costs greatest(const Costs& a, const Costs& b) noexcept {
  return {.time = std::max(a.time, b.time),
          .computation = std::max(a.computation, b.computation),
          .communication = std::max(a.communication, b.communication),
          .idle = std::max(a.idle, b.idle),
          .supersteps = std::max(a.supersteps, b.supersteps),
          .words = std::max(a.words, b.words),
          .flops = std::max(a.flops, b.flops)};
}

}  // namespace flopcast::path
