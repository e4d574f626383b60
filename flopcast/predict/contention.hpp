#pragma once

#include <span>
#include <vector>

#include "flopcast/predict/predict.hpp"
#include "flopcast/support/units.hpp"

/// Contention between threads of a program that call BLAS at the same time and compete for the same cores.
namespace flopcast::prediction {

/// A call of one thread of a program.
struct CallerStep {
  /// time of own code since the previous call of the thread or the start of the program, assumed to be unaffected by contention
  Seconds pause = 0;
  Seconds work = 0;  ///< time of the call with all the cores that it asks for
  int cores = 1;     ///< threads of the library in this call
};

/// Returns the duration of every call of every thread if `cpus` CPUs' worth of time are shared: cores, or the part of a CPU that a control
/// group grants. While the running calls ask for more CPUs than there are, each call slows down by the factor cpus / (sum of the requested
/// CPUs). A single call is never counted with more than `cpus`, because its own threads' competition is part of its work. Code between
/// calls is not slowed down, and threads wait for nothing but CPUs.
std::vector<std::vector<Seconds>> shared_durations(std::span<const std::vector<CallerStep>> threads, double cpus);

/// Returns a thread's prediction, which must include its calls, with `durations` as the times of its calls. The total, the interval and
/// every kernel's share scale with the total.
TracePrediction with_durations(TracePrediction prediction, std::span<const Seconds> durations);

/// Makes the threads of a program share `cpus` CPUs: their calls take the durations that shared_durations gives. The predictions, one per
/// thread, must include their calls. `pauses` holds the time of own code before each call of each thread, `cores` the threads of BLAS.
/// Returns the factor by which the sum of all times grows, 1 or more.
double share_cores(std::span<TracePrediction> predictions, std::span<const std::vector<Seconds>> pauses, int cores, double cpus);

}  // namespace flopcast::prediction
