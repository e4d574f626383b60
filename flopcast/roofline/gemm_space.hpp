#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/units.hpp"
#include "flopcast/roofline/roof.hpp"

namespace flopcast::roofline {

/// Shapes of dgemm to search, and what their matrices need.
struct GemmSpace {
  std::string name;
  std::vector<GemmShape> shapes;

  /// Of the largest A, B and C together, in elements.
  [[nodiscard]] std::int64_t elements() const;
};

/// "full": the 539 shapes of paper 003, equation 8; "reduced": its 96 (IV-A: 512 to 4096 for one side, 500 to 4000 for the leading
/// dimension, 64 to 2048 for k); "brief": those of the reduced ones that do at most `brief_flops`. Throws usage_error for another name.
GemmSpace gemm_space(std::string_view name);
inline constexpr double brief_flops = 1.1e9;

/// Every combination of the sizes. Throws bad_input if there are more than search::Space takes.
GemmSpace gemm_space(const std::vector<std::int64_t>& m, const std::vector<std::int64_t>& n, const std::vector<std::int64_t>& k);

}  // namespace flopcast::roofline
