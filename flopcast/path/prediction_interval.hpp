#pragma once

#include <span>

#include "flopcast/core/units.hpp"
#include "flopcast/path/kernel_table.hpp"

namespace flopcast::path {

/// Times of kernels as they are in one execution, and what the same kernels took in those before it. Sums, so that processes' can be added up.
struct Pace {
  Seconds taken = 0, expected = 0;
};

/// What the time of `along` occurrences of a kernel, predicted from `times`, varies by from one execution of the program to the next (squared
/// standard deviation): the error of the mean, the same in each of them, and how far each of them is from it by chance.
double variance_along(double along, const KernelStatistics& times) noexcept;

/// What a launch's executions are apart as a whole, relative: clocks, and where data come to lie in memory, make all of an execution's kernels
/// faster or slower together, which doesn't even out over them. The standard deviation of the logarithms of their paces, by the median of
/// their magnitudes, each with the weight of the time that tells it: an execution with a few short windows, or a disturbed one, says little
/// of the others. 0 if there are none that tell.
double wandering(std::span<const Pace> executions) noexcept;

/// Of the interval, at about 95 %, that one execution of the program lies in: independent errors, twice the root of their squares' sum.
/// `variance` of the kernels' times and of the program's own code along the path, `prediction_error` the half-width of what predictions
/// across sizes add.
Seconds half_width(Seconds path, double variance, Seconds prediction_error, double wandering) noexcept;

}  // namespace flopcast::path
