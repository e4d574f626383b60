#pragma once

#include "flopcast/core/routine_symbol.hpp"

namespace flopcast::preload {

/// Returns the bytes of the integers that the routine at `definition` takes, as its library's functions show, else as its name suggests.
/// Calls functions of that library.
int integer_bytes_at(const void* definition, const RoutineSymbol& name) noexcept;

}  // namespace flopcast::preload
