#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "flopcast/core/call.hpp"

namespace flopcast::interpose {

/// How the arguments of a call lie in a trace file, a letter each in the order of the interface: f flag (1 byte), i integer (4), l integer of
/// a library whose integers have 8 bytes (8), s d c z scalar of that precision (4, 8, 8, 16), a address (8), - not kept (info).
std::string record_layout(const Routine& routine, int integer_bytes = 4);

/// Bytes of all arguments.
std::size_t record_bytes(std::string_view layout);

/// The call whose arguments are `bytes`, which record_layout(routine, integer_bytes) describes; nothing if they are too few.
std::optional<Call> decode_call(const Routine& routine, std::span<const std::byte> bytes, int integer_bytes = 4);

}  // namespace flopcast::interpose
