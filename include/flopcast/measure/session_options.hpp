#pragma once

#include <cstdint>

#include "flopcast/support/units.hpp"

namespace flopcast::measure {

/// Clock of a session: elapsed time, or processor time of the process.
enum class Clock : std::uint8_t { wall, cpu };

/// The number of repetitions in a session. Preempted repetitions are made again, as often at most as repetitions are wanted.
struct StopRule {
  std::int64_t min_repetitions = 3;
  std::int64_t max_repetitions = 7;  ///< Tørring et al. 2021, III-C.2
  /// Calls up to short_call get the maximum, calls from long_call on the minimum. In between the number falls with the logarithm of their
  /// time.
  Seconds short_call = 0.3e-3, long_call = 30e-3;
  Seconds time_limit = 0;  ///< limit per experiment with its setup; 0: none (Tørring et al. 2021, III-C.1)
  /// Stop when the median's distribution-free interval lies within +- this fraction of the median (Tørring et al. 2021, III-C.3); 0: off.
  double relative_interval = 0;
  double confidence = 0.99;  ///< confidence of this interval, 0 to 1
  bool of_mean = false;      ///< use the mean and its t interval instead; the paper uses the mean's normal interval
};

/// Options of a measuring session.
struct SessionOptions {
  StopRule stop;
  Clock clock = Clock::wall;
  std::uint64_t seed = 1;             ///< seed of the shuffling and of operands' values
  Seconds reference_interval = 0.03;  ///< the reference kernels run about this often, in seconds
  bool normalise = true;              ///< fill in Repetition::drift; otherwise it stays 1
  /// Ratio of reference solve to reference product without other programs on the core, an earlier session's quiet_solve(). With it,
  /// disturbed moments are found from the first one on. 0: unknown.
  double quiet_solve = 0;
};

}  // namespace flopcast::measure
