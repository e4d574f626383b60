#pragma once

#include "flopcast/report/picture.hpp"

namespace flopcast::report {

/// Two bars, one of them with an interval and one for reference.
inline BarChart chart() { return {"time", "s", {{"dgemm", 2, "2 s", Interval{1.5, 2.5}}, {"it's", 1, "1 s", {}, true}}}; }

/// A thread whose second part is on the critical path.
inline Strips strips() { return {"when", {"dgemm", "others"}, {{"thread 1", {{0.5, 0.25}, {0, 1}}, {false, true}}}, 0, 4}; }

}  // namespace flopcast::report
