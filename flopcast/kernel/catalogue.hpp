#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/routine.hpp"

namespace flopcast::kernel {

/// Every routine that flopcast knows, sorted by name; built from the tables on first use, never changed. A Routine's address stays
/// valid and identifies it.
const std::vector<Routine>& catalogue();

/// The entry called `name` (lower case, without underscore), or nullptr.
const Routine* find(std::string_view name);

/// The entry called `name`, in any case and with or without a trailing underscore; throws bad_input with the nearest names if there
/// is none.
const Routine& require(std::string_view name);

}  // namespace flopcast::kernel
