#pragma once

#include "flopcast/measure/experiment.hpp"

namespace flopcast::measure {

/// Returns the experiment for a library whose integers have `integer_bytes` bytes. If its calls have arrays of 4-byte integers and the
/// library needs 8, these arrays get the space, and regions within them follow. Throws bad_input if the experiment's integers are the wider
/// ones, or if an array of 4-byte integers shares an allocation with other data. Such arrays are a recorded program's, which the library
/// can't serve.
Experiment with_integers(const Experiment& experiment, int integer_bytes);

}  // namespace flopcast::measure
