#pragma once

#include <string>
#include <string_view>

namespace flopcast {

/// 64-bit FNV-1a of `text` as 16 hexadecimal digits: tells things apart, protects against nothing.
std::string hexadecimal_digest(std::string_view text);

}  // namespace flopcast
