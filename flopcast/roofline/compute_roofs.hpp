#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/machine/cpu/thread_team.hpp"
#include "flopcast/roofline/roof.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::roofline {

struct ComputeOptions {
  int rounds = 5;                ///< samples of each ceiling, interleaved
  Seconds warm_up = 2e-3;        ///< the clock needs 1 to 2 ms to settle after the kind of work changed
  Seconds sample = 5e-3;         ///< length of a sample
  Seconds probe_delay = 0.1e-3;  ///< a clock measured right after AVX-512 work is up to 15 % low for 50 us
  std::uint64_t seed = 1;
};

/// Calls sample(i) for every i below `count` in each of `rounds` rounds, in random order, until `progress` returns false.
void sample_in_rounds(std::size_t count, int rounds, std::uint64_t seed, const Progress& progress,
                      const std::function<void(std::size_t)>& sample);

/// Measures every compute kernel of this CPU on every team, in random order in every round. If `progress` returns false, the samples until
/// then are returned.
std::vector<ComputeRoof> measure_compute(const machine::WallClock& clock, const std::vector<machine::ThreadTeam*>& teams,
                                         const ComputeOptions& options, const Progress& progress = {});

/// Adds the samples of a later measurement and appends its new roofs.
void add_samples(std::vector<ComputeRoof>& roofs, const std::vector<ComputeRoof>& later);

/// Returns the whole number of units that `instructions_per_cycle` indicates: the nearest one, at least 1.
int ports(double instructions_per_cycle);

/// Returns the instructions per cycle of the widest fused multiply-add in double precision, from the team with the least disturbance; 0 if
/// there is none. All cores have the same units, and disturbances slow down a thread.
double fused_instructions_per_cycle(const Roofline& roofline);

/// Returns peaks from factors (Tørring et al. 2021, equation 9) for the widest fused multiply-add of `roofline` in double precision and
/// each number of threads. There is one peak with the nominal clock, if it is known, and one with the clock measured beside the loop.
/// `given_units` is the number of units of a core, if the user knows it better than the measured instructions per cycle; 0: as measured.
/// `cores` is the number of cores, which more threads share.
std::vector<TheoreticalPeak> theoretical_peaks(const Roofline& roofline, double nominal_hertz, const std::string& nominal_source,
                                               int given_units = 0, int cores = std::numeric_limits<int>::max());

}  // namespace flopcast::roofline
