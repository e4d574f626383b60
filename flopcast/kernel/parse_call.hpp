#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"

namespace flopcast::kernel {

/// A call from named arguments: {"m": "100", "transa": "T", "alpha": "-1", "lda": "128"}. Flags default to their first value, scalars
/// to 1, increments to 1, work sizes to what suffices; missing leading dimensions are the rows rounded up to a multiple of 8 that is
/// no multiple of 256. Every size must be given. A complex scalar is (re,im). Addresses stay 0. Throws bad_input naming the argument, the
/// value and what was expected (unknown name: the nearest; size < 0 or > 10^6; ld < rows; sizes against the routine's constraints).
Call parse_call(const Routine& routine, const std::map<std::string, std::string>& arguments);

/// Throws bad_input if a name is none of an argument that can be set, naming the nearest.
void refuse_unknown_names(const Routine& routine, const std::map<std::string, std::string>& arguments);

/// `dtrsm side=L uplo=L transa=N diag=N m=256 n=256 alpha=1 lda=264 ldb=264`: what parse_call reads.
std::string format_call(const Call& call);

/// The sizes that tell one problem from another, in the order of the interface: those without a usual value, and where one has another
/// value than that (gehrd's ilo and ihi), all.
std::vector<std::int64_t> distinguishing_sizes(const Call& call);

/// Least leading dimension of the data or work argument i.
std::int64_t least_leading_dimension(const Call& call, std::size_t i);

}  // namespace flopcast::kernel
