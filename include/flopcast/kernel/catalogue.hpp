#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/routine.hpp"

namespace flopcast::kernel {

/// Returns all routines that flopcast knows, sorted by name; they are built from the tables on first use and never changed. The address of
/// a Routine stays valid and identifies the routine.
const std::vector<Routine>& catalogue();

/// Returns the entry called `name` (lower case, without underscore), or nullptr.
const Routine* find(std::string_view name);

/// Returns the entry called `name`, in any case and with or without a trailing underscore. Throws bad_input with the nearest names if there
/// is none.
const Routine& require(std::string_view name);

}  // namespace flopcast::kernel
