#pragma once

#include <cstdint>
#include <map>
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

/// Returns sizes as texts by the names of the routine's size arguments, or by n1, n2, ... if these don't fit or no routine has this name.
std::map<std::string, std::string> named_sizes(std::string_view routine, const std::vector<std::int64_t>& sizes);

}  // namespace flopcast::kernel
