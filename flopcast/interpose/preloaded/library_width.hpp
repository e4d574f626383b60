#pragma once

#include "flopcast/core/routine_symbol.hpp"

namespace flopcast::interpose {

/// Bytes of the integers that the routine at `definition` takes: as its library does or says, else as the name looks. Calls functions of
/// that library.
int integer_bytes_at(const void* definition, const RoutineSymbol& name) noexcept;

}  // namespace flopcast::interpose
