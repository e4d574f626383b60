#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/core/call.hpp"

namespace flopcast::kernel {

/// Returns a call from named arguments: {"m": "100", "transa": "T", "alpha": "-1", "lda": "128"}. Every size must be given. Flags default
/// to their first value, scalars and increments to 1, work sizes to a sufficient size. Leading dimensions default to the rows rounded up to
/// a multiple of 8 that isn't a multiple of 256. A complex scalar is (re,im). Addresses stay 0. Throws bad_input with the argument, the
/// value and the expected values: for an unknown name (with the nearest names), a size < 0 or > 10^6, ld < rows, and sizes against the
/// routine's constraints.
Call parse_call(const Routine& routine, const std::map<std::string, std::string>& arguments);

/// Throws bad_input, with the nearest names, if a name isn't that of an argument that can be set.
void refuse_unknown_names(const Routine& routine, const std::map<std::string, std::string>& arguments);

/// Returns name and value of a word `name=value`. Throws bad_input for other words.
std::pair<std::string, std::string> split_argument(const std::string& word);

/// Returns the text that parse_call reads: `dtrsm side=L uplo=L transa=N diag=N m=256 n=256 alpha=1 lda=264 ldb=264`.
std::string format_call(const Call& call);

/// Returns the sizes that distinguish problems, in the order of the interface: the sizes without a usual value, or all sizes if one of the
/// others differs from its usual value (gehrd's ilo and ihi).
std::vector<std::int64_t> distinguishing_sizes(const Call& call);

/// Returns the least leading dimension of the data or work argument i.
std::int64_t min_leading_dimension(const Call& call, std::size_t i);

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
