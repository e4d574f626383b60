#pragma once

#include "flopcast/report/figure.hpp"
#include "flopcast/roofline/roof.hpp"

namespace flopcast {

/// The roofline as Williams, Waterman and Patterson draw it: the triad's roof of every level up to its ridge under the FMA ceiling, for all
/// threads, and dashed, from the memory's roof on, the other ceilings, the best gemm, and one core's memory roof and FMA ceiling; points
/// with their intervals, by their numbers in a list below where they are many or have long names. In single precision if only sgemm was
/// searched, else in double. Throws bad_input if no bandwidth or no FMA ceiling was measured.
report::Figure roofline_figure(const roofline::Roofline& roofline);

}  // namespace flopcast
