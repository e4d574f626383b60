#include "flopcast/support/exception.hpp"

namespace flopcast {

const char* version() noexcept { return FLOPCAST_VERSION; }

}  // namespace flopcast
