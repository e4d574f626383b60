#include "flopcast/support/digest.hpp"

#include <fmt/format.h>

#include "flopcast/support/fnv_hash.hpp"

namespace flopcast {

std::string hexadecimal_digest(std::string_view text) { return fmt::format("{:016x}", fnv_hash_64(text)); }

}  // namespace flopcast
