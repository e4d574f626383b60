#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "flopcast/core/kernel_model.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/modelling/model_check.hpp"

/// The statistics of a model check.
namespace flopcast {

/// Returns the probability of at least `count` successes in `trials` independent trials of probability `p`, 0 < p < 1.
double binomial_tail(std::int64_t trials, std::int64_t count, double p);

/// Returns how many standard deviations the logarithm of the median of `times` lies above that of the expected time. The deviation has the
/// parts of an interval (docs/explanation/prediction.md) and that of the median; `run_deviation` is the relative one of runs because of the
/// machine's state.
double standard_score(const model::Estimate& expected, std::span<const Seconds> times, double run_deviation);

/// Returns the score from which on a point is a suspect if `points` are tested: all of them stay below with a probability of 99 % where every
/// sample holds (Bonferroni).
double suspect_score(std::size_t points);

/// Returns whether two independent series of runs say the same: both scores are at least `limit`, or both at most -`limit`.
bool is_refuted(double first_score, double second_score, double limit);

/// Returns whether so many of a kernel's points were refuted that the others aren't to be trusted either. `measured` counts the sampled
/// points that were measured, `suspects` those with an unlikely score, `retested` the suspects that were measured again.
bool is_whole_kernel_refuted(std::int64_t measured, std::int64_t suspects, std::int64_t retested, std::int64_t refuted);

/// Fills in runs, errors and bias of a check from its points.
void summarise(KernelCheck& check);

/// Returns the verdict on a kernel whose other members are filled in.
CheckVerdict verdict(const KernelCheck& check);

}  // namespace flopcast
