#include "flopcast/support/relink.hpp"

#include <cerrno>
#include <cstring>

#include "flopcast/support/error.hpp"

namespace flopcast {

void rebind(const Binding& binding, void* address) {
  if (!set_binding(binding, address)) {
    throw environment_error("can't redirect {}: {}", binding.name, std::strerror(errno));
  }
}

}  // namespace flopcast
