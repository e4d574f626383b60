#pragma once

#include "flopcast/core/call.hpp"

namespace flopcast::measure {

/// Flags for numbers that take a CPU's slow paths, so that times don't hold for other numbers.
struct AbnormalValues {
  bool denormal = false;
  bool not_finite = false;
};

/// Searches the results of `call`, at real addresses, for such numbers.
AbnormalValues abnormal_values(const Call& call);

}  // namespace flopcast::measure
