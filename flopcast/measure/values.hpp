#pragma once

#include "flopcast/core/call.hpp"

namespace flopcast::measure {

/// Numbers that take a CPU's slow paths, so that times don't hold for others.
struct OddValues {
  bool denormal = false;
  bool not_finite = false;
};

/// Looks for such numbers in what `call` has written, at real addresses.
OddValues odd_values(const Call& call);

}  // namespace flopcast::measure
