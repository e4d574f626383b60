#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/support/units.hpp"

/// The compact form in which recorded calls travel between two processes of the same build. A call consists of the routine's index in the
/// catalogue, its seconds, its arguments and its scalars.
namespace flopcast::protocol {

using Bytes = std::vector<std::byte>;

/// Appends a call. The address of info is stored as 0, because it carries no information.
void append(Bytes& bytes, const Call& call, Seconds seconds);

struct DecodedCalls {
  std::vector<Call> calls;
  std::vector<Seconds> seconds;
};

/// Reads back what append() wrote. Throws internal_error if the bytes are damaged.
DecodedCalls read_calls(std::span<const std::byte> bytes);

/// Returns a digest of the catalogue, by which two processes find out whether theirs are the same.
std::uint64_t catalogue_digest();

}  // namespace flopcast::protocol
