#pragma once

#include "flopcast/support/units.hpp"

namespace flopcast::prediction {

/// Returns the time of recorded calls on another machine. Given are the recorded time, and the models' expectations there and elsewhere.
/// Time that the models leave out (first use of memory, start of libraries, data) stays constant: the calls take as much longer elsewhere.
/// If the models expect more than the recorded time, they are assumed to be wrong by the same factor in both places.
Seconds transferred_time(Seconds recorded, Seconds expected_there, Seconds expected_elsewhere) noexcept;

}  // namespace flopcast::prediction
