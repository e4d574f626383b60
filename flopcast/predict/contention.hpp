#pragma once

#include <span>
#include <vector>

#include "flopcast/core/units.hpp"
#include "flopcast/predict/predict.hpp"

/// Threads of a program that call BLAS at the same time and wait for the same cores.
namespace flopcast::predict {

/// A call of one thread of a program.
struct CallerStep {
  Seconds pause = 0;  ///< since the thread's call before it ended, or the program began: its own code, taken to go on as fast as ever
  Seconds work = 0;   ///< what the call takes with all the cores that it asks for
  int cores = 1;      ///< threads of the library
};

/// How long every call of every thread takes if the cores are shared: while the calls that run ask for more cores than there are, each of
/// them slows down by the same factor, cores / (sum of what they ask for). A call never asks for more than there are: what its own threads
/// lose to each other is part of its work. Code between calls isn't slowed down, and threads wait for nothing but cores.
std::vector<std::vector<Seconds>> shared_durations(std::span<const std::vector<CallerStep>> threads, int cores);

/// A thread's prediction (with its calls) whose calls take `durations` instead: total, interval and every kernel's share grow as they do.
Prediction with_durations(Prediction prediction, std::span<const Seconds> durations);

}  // namespace flopcast::predict
