#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "flopcast/model/box.hpp"

namespace flopcast::model {

/// The distribution of sampling points along each dimension of a box (paper 000, section 2.2).
enum class Grid : std::uint8_t {
  gaussian,   ///< roots of the Legendre polynomial
  chebyshev,  ///< roots of the Chebyshev polynomial, denser at the ends
  regular,    ///< evenly spaced, both ends included
};

/// Returns `count` ascending nodes in [-1, 1]; a single node is 0.
std::vector<double> nodes(Grid grid, int count);

/// Returns the Cartesian product of counts[d] nodes along every dimension of `box`, rounded to multiples of `min_width` and kept inside
/// the box. Points that become equal are returned once.
std::vector<Sizes> grid_points(const Box& box, const std::vector<int>& counts, Grid grid, std::int64_t min_width);

}  // namespace flopcast::model
