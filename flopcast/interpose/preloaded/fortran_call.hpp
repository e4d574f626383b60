#pragma once

#include <span>

#include "flopcast/core/call.hpp"

namespace flopcast::interpose {

/// The value of a call from its arguments as Fortran passes them, by a library whose integers have so many bytes.
Call call_of(const Routine& routine, std::span<void* const> pointers, int integer_bytes = 4);

/// A call with a work size of -1 only asks how much would be best: it is no work of its own.
bool asks_for_work_size(const Routine& routine, std::span<void* const> pointers);

}  // namespace flopcast::interpose
