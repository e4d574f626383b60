#include "flopcast/path/costs.hpp"

#include <algorithm>

namespace flopcast::path {

// Written out, since both are computed several times for every message, and a loop over `metrics` takes twice as long.

Costs& Costs::operator+=(const Costs& other) noexcept {
  time += other.time;
  computation += other.computation;
  communication += other.communication;
  idle += other.idle;
  supersteps += other.supersteps;
  words += other.words;
  flops += other.flops;
  return *this;
}

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
