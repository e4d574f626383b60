#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "flopcast/measure/session_services.hpp"

namespace flopcast::measure {

/// A clock that only tests advance, and routines whose durations tests set.
struct FakeServices {
  std::int64_t now = 0;                                        ///< time in nanoseconds; each reading of the clock takes 1
  std::map<std::string, std::int64_t> duration;                ///< duration of a call, by routine
  std::map<std::string, std::vector<std::int64_t>> durations;  ///< durations of the first calls of a routine; later calls take `duration`
  std::vector<std::string> log;                                ///< names of the called routines, and `threads N`
  std::vector<double> first_values;                            ///< x[0] of every dscal and daxpy at its start
  std::int64_t disturbances = 0;
  std::vector<bool> disturb, disturb_reference;  ///< true: the next calls of daxpy or of dgemm are disturbed

  [[nodiscard]] std::vector<std::string> calls_without(const std::string& routine) const;
};

/// Returns a services with dgemm and, if it has a duration, dtrsm (the reference kernels), and daxpy, dscal and ddot of the fake world. No
/// other routine is found.
SessionServices fake_backend();
/// Returns the world of fake_backend()'s functions.
FakeServices& fake_services();

/// Starts a new world; called before every test.
void reset_fake_world();

}  // namespace flopcast::measure
