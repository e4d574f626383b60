#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/units.hpp"

/// The compact form in which recorded calls travel from one process to another of the same build: per call the routine's index in the
/// catalogue, the seconds it took, its arguments, its scalars.
namespace flopcast::interpose {

using Bytes = std::vector<std::byte>;

/// Appends a call; the address of info, which tells nothing, becomes 0.
void append(Bytes& bytes, const Call& call, Seconds seconds);

struct TimedCalls {
  std::vector<Call> calls;
  std::vector<Seconds> seconds;
};

/// Reads back what append() wrote; throws internal_error if it is damaged.
TimedCalls read_calls(std::span<const std::byte> bytes);

/// Tells whether two processes have the same catalogue.
std::uint64_t catalogue_digest();

}  // namespace flopcast::interpose
