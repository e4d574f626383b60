#pragma once

#include <span>

#include "flopcast/core/call.hpp"

namespace flopcast::preload {

/// Builds a Call from arguments that Fortran passes to a library whose integers have `integer_bytes` bytes.
Call call_of(const Routine& routine, std::span<void* const> pointers, int integer_bytes = 4);

/// Returns whether a call only queries the best workspace size, by a work size of -1, and does no work.
bool is_workspace_query(const Routine& routine, std::span<void* const> pointers);

}  // namespace flopcast::preload
