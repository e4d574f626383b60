#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"

namespace flopcast::program {

/// A call whose result was found to be wrong.
struct CheckedCall {
  Call call;  ///< with addresses, of which those modulo a page are kept
  std::uint64_t seed = 1;
  std::int64_t threads = 1;
  std::string setting;  ///< variable that selects the kernels, such as "OPENBLAS_CORETYPE=Haswell"; empty: none
  std::string found;    ///< the library and what is wrong
};

/// Returns a program for C99 that needs BLAS and LAPACK only. The program makes each call as flopcast verify does, with the same numbers, in a
/// process of its own. Where residual::product_relations() knows the results, plain loops compare them with their bound of rounding
/// errors. For other results the program prints sums, which differ between a right and a wrong library. `about` begins the first comment.
std::string checking_source(const std::vector<CheckedCall>& calls, const std::vector<std::string>& about, int integer_bytes);

}  // namespace flopcast::program
