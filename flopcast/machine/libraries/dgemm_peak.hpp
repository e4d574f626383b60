#pragma once

#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::machine {

/// Best double-precision rate of `dgemm` in flops per second, C := A B + C of orders `n`, over about `budget` seconds and at least three
/// calls.
double dgemm_rate(const WallClock& clock, Function dgemm, int n, Seconds budget);

/// Best rate over several orders within about `budget` seconds; with one thread set, the peak of a core as this library reaches it.
double peak_flops(const WallClock& clock, Function dgemm, Seconds budget = 0.3);

}  // namespace flopcast::machine
