#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "flopcast/model/box.hpp"

namespace flopcast::model {

/// How sampling points lie along each dimension of a box (paper 000, section 2.2).
enum class Grid : std::uint8_t {
  gaussian,   ///< roots of the Legendre polynomial
  chebyshev,  ///< roots of the Chebyshev polynomial, denser at the ends
  regular,    ///< evenly spaced, both ends included
};

/// `gaussian`, `chebyshev`, `regular`; the second throws bad_input naming these.
std::string_view to_string(Grid grid);
Grid parse_grid(std::string_view text);

/// `count` ascending nodes in [-1, 1]; 0 for a single one.
std::vector<double> nodes(Grid grid, int count);

/// Cartesian product of counts[d] nodes along every dimension of `box`, rounded to multiples of `minimum_width` and kept inside the box;
/// points that become equal are given once.
std::vector<Sizes> grid_points(const Box& box, const std::vector<int>& counts, Grid grid, std::int64_t minimum_width);

}  // namespace flopcast::model
