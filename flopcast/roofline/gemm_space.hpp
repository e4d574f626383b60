#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/roofline/roof.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::roofline {

/// Shapes of dgemm to search.
struct GemmSpace {
  std::string name;
  std::vector<GemmShape> shapes;

  /// Returns the number of elements of the largest A, B and C together.
  [[nodiscard]] std::int64_t elements() const;
};

/// Returns a space by name. "full" has the 539 shapes of paper 003, equation 8. "reduced" has its 96 shapes of IV-A: 512 to 4096 for one
/// side, 500 to 4000 for the leading dimension, 64 to 2048 for k. "brief" has the reduced shapes with at most `brief_flops`. Throws
/// usage_error for another name.
GemmSpace gemm_space(std::string_view name);
inline constexpr double brief_flops = 1.1e9;

/// Returns every combination of the sizes, those of `k` changing fastest. Throws bad_input for more than 100000, and for a list that is
/// empty or has a size twice.
GemmSpace gemm_space(const std::vector<std::int64_t>& m, const std::vector<std::int64_t>& n, const std::vector<std::int64_t>& k);

}  // namespace flopcast::roofline
