#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "flopcast/measure/backend.hpp"

namespace flopcast::measure {

/// A clock that stands still unless told otherwise, and routines that take as long as they are told.
struct FakeWorld {
  std::int64_t now = 0;                                        ///< in nanoseconds; each reading of the clock takes 1
  std::map<std::string, std::int64_t> duration;                ///< of a call, by routine
  std::map<std::string, std::vector<std::int64_t>> durations;  ///< of its calls one after another, before `duration` holds
  std::vector<std::string> log;                                ///< routines as they were called, and `threads N`
  std::vector<double> first_values;                            ///< x[0] of every dscal and daxpy as it began
  std::int64_t disturbances = 0;
  std::vector<bool> disturb, disturb_reference;  ///< whether the next calls of daxpy, of dgemm are disturbed

  [[nodiscard]] std::vector<std::string> calls_without(const std::string& routine) const;
};

/// dgemm and, if it has a duration, dtrsm (the reference kernels), daxpy, dscal and ddot of the fake world; no other routine is found.
Backend fake_backend();
/// The world that fake_backend()'s functions live in.
FakeWorld& fake_world();

/// Starts every test with a new world.
void reset_fake_world();

}  // namespace flopcast::measure
