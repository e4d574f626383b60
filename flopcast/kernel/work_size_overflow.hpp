#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "flopcast/core/call.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::kernel {

/// Returns the index of a work size that may exceed the integers of the call's library: the size that suffices for any block size does. LAPACK
/// computes sizes in these integers too, so that its answers to queries and its checks are wrong beyond their range. Returns nothing for
/// integers of 8 bytes.
std::optional<std::size_t> overflowing_work_size(const Call& call);

/// Returns whether a query's answer for work size `argument` has wrapped around: it is negative, or far below the matrices that the workspace
/// holds in divide and conquer with vectors.
bool has_wrapped_around(const Call& call, std::size_t argument, std::int64_t answer);

/// Returns the bad_input that says so. Requires that there is such a work size.
Error work_size_overflow(const Call& call);

}  // namespace flopcast::kernel
