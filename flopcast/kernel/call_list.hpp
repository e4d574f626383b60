#pragma once

#include <string>
#include <vector>

#include "flopcast/core/call.hpp"

namespace flopcast::kernel {

/// Returns calls of `routine` with the arguments in `words` (`m=100 transa=T lda=128`). Sizes, leading dimensions and increments may be lists
/// and ranges as parse_sizes reads them. Then the result has every combination, the first argument changing slowest. Throws bad_input as
/// parse_call does, for a word that isn't name=value or is there twice, and for more than a million calls.
std::vector<Call> expand_calls(const std::string& routine, const std::vector<std::string>& words);

/// Returns the calls of one text, `dgemm m=100:500:100 n=64 k=64`.
std::vector<Call> expand_calls(const std::string& text);

/// Returns all calls of a JSON array of such texts in file `path` ("-": standard input). Throws bad_input that names the file and the item
/// at fault.
std::vector<Call> read_calls(const std::string& path);

}  // namespace flopcast::kernel
