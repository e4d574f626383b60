#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/kernel/fill.hpp"

/// Parts of programs for C99 that make calls with operands of their own. Such a program consists of first_comment(), declarations(), a
/// case_text() for each call, and functions that execute the calls.
namespace flopcast::program {

/// A call of such a program.
struct SourceCall {
  Call call;                                  ///< with addresses, of which those modulo a page are kept
  std::vector<std::int64_t> distances_bytes;  ///< access distances of the operands; empty: not known
  std::string remark;                         ///< text for the reader, without quotes from files; empty: there is none
  std::uint64_t seed = 1;
  kernel::PatternOf pattern_of = kernel::fill_pattern;  ///< the operands have the numbers of kernel::fill() with this pattern
};

/// Returns the first comment, with `about` and the rest of the comment in `usage`, and the #include lines.
std::string first_comment(const std::vector<std::string>& about, std::string_view usage);

/// Returns the C types and functions that allocate and fill the operands, and the prototypes of the called routines.
std::string declarations(std::span<const SourceCall> calls, int integer_bytes);

/// Returns the tables operands_N and blocks_N and the function call_N of a call, for the given N.
std::string case_text(const SourceCall& call, std::size_t number);

/// Returns a number as a constant of C.
std::string number_text(double value);

/// Returns a letter, digit or blank for every character, so that text from a file can't end a comment or a string of a source.
std::string harmless(std::string text);

}  // namespace flopcast::program
