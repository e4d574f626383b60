#pragma once

#include "flopcast/measure/experiment.hpp"

namespace flopcast::measure {

/// The experiment for a library whose integers have `integer_bytes` bytes: where its calls have arrays of 4-byte integers and the library
/// wants 8, these arrays get the room, and regions within them follow. Throws bad_input if its integers are the wider ones, or if an array of
/// 4-byte integers shares an allocation with other data: then they are a recorded program's, which such a library can't serve.
Experiment with_integers(const Experiment& experiment, int integer_bytes);

}  // namespace flopcast::measure
