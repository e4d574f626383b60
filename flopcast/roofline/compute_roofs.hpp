#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "flopcast/core/units.hpp"
#include "flopcast/machine/clock.hpp"
#include "flopcast/machine/thread_team.hpp"
#include "flopcast/roofline/roof.hpp"

namespace flopcast::roofline {

/// Steps done and expected; false gives up, and what was measured so far is given back.
using Progress = std::function<bool(std::int64_t done, std::int64_t expected)>;

struct ComputeOptions {
  int rounds = 5;                ///< samples of each ceiling, interleaved
  Seconds warm_up = 2e-3;        ///< the clock needs 1 to 2 ms to settle after the kind of work changed
  Seconds sample = 5e-3;         ///< length of a sample
  Seconds probe_delay = 0.1e-3;  ///< a clock read right after AVX-512 work is up to 15 % low for 50 us
  std::uint64_t seed = 1;
};

/// Every compute kernel of this CPU on every team, in random order in every round.
std::vector<ComputeRoof> measure_compute(const machine::WallClock& clock, const std::vector<machine::ThreadTeam*>& teams,
                                         const ComputeOptions& options, const Progress& progress = {});

/// Adds the samples of a later measurement; roofs that weren't there are appended.
void add_samples(std::vector<ComputeRoof>& roofs, const std::vector<ComputeRoof>& later);

/// Whole number of units that `instructions_per_cycle` shows: the nearest one, at least 1.
int ports(double instructions_per_cycle);

/// Of the widest fused multiply-add in double precision, by the threads that were disturbed least: cores have the same units, and whatever
/// disturbs a thread makes it slower. 0 if there is none.
double fused_instructions_per_cycle(const Roofline& roofline);

/// Peaks from factors (paper 003, equation 9), for the widest fused multiply-add of `roofline` in double precision on each number of threads:
/// with the nominal clock where it is known, and with the clock measured beside the loop. `given_units`: of a core, where the user knows better
/// than the loop's instructions per cycle; 0: as measured. `cores`: that there are for the threads, if more of these share them.
std::vector<TheoreticalPeak> theoretical_peaks(const Roofline& roofline, double nominal_hertz, const std::string& nominal_source,
                                               int given_units = 0, int cores = std::numeric_limits<int>::max());

}  // namespace flopcast::roofline
