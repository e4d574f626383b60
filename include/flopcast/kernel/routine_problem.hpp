#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/support/field.hpp"

namespace flopcast::kernel {

/// Returns calls of a LAPACK routine at several sizes, as programs make them. Leading dimensions are equal to the rows and the work size is
/// left to the routine, unless they are given. `sizes` gives values for the routine's size arguments by name; "n" alone makes everything square. Other arguments
/// (flags, leading dimensions, work sizes) come from `fixed`. The result is the Cartesian product, in the order of the values. Throws
/// bad_input that names an argument that is missing, unknown or without values, and for more than 10,000 calls.
std::vector<Call> routine_calls(const Routine& routine, const NamedSizes& sizes, const std::map<std::string, std::string>& fixed);

/// Splits `name=value` words as given on the command line into sizes (ranges as parse_sizes reads them) and other arguments.
struct RoutineArguments {
  NamedSizes sizes;
  std::map<std::string, std::string> fixed;
};
RoutineArguments parse_routine_arguments(const Routine& routine, const std::vector<std::string>& words);

/// "1000" for equal sizes, "2000x500" for others, "-" for none.
std::string size_text(const std::vector<std::int64_t>& sizes);

}  // namespace flopcast::kernel
