#pragma once

#include "flopcast/report/figure.hpp"
#include "flopcast/roofline/roof.hpp"

namespace flopcast {

/// Returns the roofline as Williams, Waterman and Patterson draw it. Solid lines are the triad's roof of every level up to its ridge, and
/// the FMA ceiling, for all threads. Dashed lines are the other ceilings, the best gemm, and one core's memory roof and FMA ceiling. Points
/// have intervals, and numbers that a list below explains where they are many or have long names. The precision is single if only sgemm was
/// searched, else double. Throws bad_input if no bandwidth or no FMA ceiling was measured.
report::Figure roofline_figure(const roofline::Roofline& roofline);

}  // namespace flopcast
