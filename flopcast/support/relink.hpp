#pragma once

#include "flopcast/support/bindings.hpp"

namespace flopcast {

/// Makes the calls behind `binding` reach `address`. Throws environment_error if the system doesn't let us.
void rebind(const Binding& binding, void* address);

}  // namespace flopcast
