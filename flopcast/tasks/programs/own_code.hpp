#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/program/program_trace.hpp"
#include "flopcast/tasks/programs/advice.hpp"

/// Where a program spends time outside of BLAS and LAPACK.
namespace flopcast {

/// Returns "function (source:line)" of addresses in a file of machine code, in their order; empty texts where that isn't known. The result
/// may be shorter than `addresses`.
using SourceLines = std::function<std::vector<std::string>(const std::string& file, const std::vector<std::uint64_t>& addresses)>;

/// Returns the source lines as the program addr2line of binutils finds them; nothing where it isn't installed.
std::vector<std::string> lines_by_addr2line(const std::string& file, const std::vector<std::uint64_t>& addresses);

/// Returns the places with 2 % or more of the probes, by falling time.
std::vector<OwnCodePlace> own_code_places(const std::vector<program::ProbedPlace>& probed, const SourceLines& source_lines);

/// Returns the time in which probes found the program outside of BLAS and LAPACK.
Seconds probed_seconds(const std::vector<program::ProbedPlace>& probed);

/// Returns the finding about products of matrices that NumPy's einsum computed by itself although BLAS could; nothing if there are none.
std::optional<Finding> contraction_finding(const std::vector<program::ProbedPlace>& probed);

}  // namespace flopcast
