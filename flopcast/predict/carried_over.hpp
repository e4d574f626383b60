#pragma once

#include "flopcast/core/units.hpp"

namespace flopcast::predict {

/// The time of recorded calls elsewhere, given what they took, what the models expect of them where they were recorded, and what elsewhere.
/// What the models leave out (memory touched for the first time, libraries that start, data) stays as it was: the calls take so much longer
/// there too. Where the models expect more than it took, they are wrong by a factor, in both places.
Seconds carried_over(Seconds recorded, Seconds expected_there, Seconds expected_elsewhere) noexcept;

}  // namespace flopcast::predict
