#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "flopcast/core/call.hpp"

namespace flopcast::protocol {

/// Returns how the arguments of a call lie in a trace file: a letter each, in the order of the interface. The letters are f flag (1 byte),
/// i integer (4), l integer of a library with 8-byte integers (8), and - for info, which isn't kept. Scalars are s, d, c and z by their
/// precision (4, 8, 8, 16), and a is an address (8).
std::string record_layout(const Routine& routine, int integer_bytes = 4);

/// Returns the bytes of all arguments together.
std::size_t record_bytes(std::string_view layout);

/// Returns the call whose arguments are `bytes`, which record_layout(routine, integer_bytes) describes; nothing if there are too few bytes.
std::optional<Call> decode_call(const Routine& routine, std::span<const std::byte> bytes, int integer_bytes = 4);

}  // namespace flopcast::protocol
