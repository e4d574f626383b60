#include "flopcast/core/kernel_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "flopcast/support/combinations.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::model {
namespace {

/// Returns the root of the Legendre polynomial of degree `count` near `guess`, by Newton's method on the three-term recurrence.
double legendre_root(int count, double guess) {
  constexpr int max_steps = 100;
  double x = guess;
  for (int step = 0; step < max_steps; ++step) {
    double previous = 1;
    double current = x;
    for (int k = 2; k <= count; ++k) {
      const double next = ((2 * k - 1) * x * current - (k - 1) * previous) / k;
      previous = current;
      current = next;
    }
    const double slope = count * (x * current - previous) / (x * x - 1);
    const double correction = current / slope;
    x -= correction;
    if (std::fabs(correction) < 1e-15) {
      break;
    }
  }
  return x;
}

double node(Grid grid, int i, int count) {
  switch (grid) {
    case Grid::gaussian: return legendre_root(count, -std::cos(std::numbers::pi * (i + 0.75) / (count + 0.5)));
    case Grid::chebyshev: return -std::cos(std::numbers::pi * (i + 0.5) / count);
    case Grid::regular: return -1 + 2.0 * i / (count - 1);
  }
  throw internal_error("grid {}", static_cast<int>(grid));
}

std::vector<std::int64_t> coordinates(std::int64_t low, std::int64_t high, int count, Grid grid, std::int64_t min_width) {
  std::vector<std::int64_t> values;
  for (const double x : nodes(grid, count)) {
    const double at = 0.5 * (static_cast<double>(low + high) + x * static_cast<double>(high - low));
    values.push_back(std::clamp<std::int64_t>(std::lround(at / static_cast<double>(min_width)) * min_width, low, high));
  }
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

std::vector<double> nodes(Grid grid, int count) {
  if (count == 1) {
    return {0};
  }
  std::vector<double> all;
  for (int i = 0; i < count; ++i) {
    all.push_back(node(grid, i, count));
  }
  return all;
}

std::vector<Sizes> grid_points(const Box& box, const std::vector<int>& counts, Grid grid, std::int64_t min_width) {
  std::vector<Sizes> by_dimension;
  for (std::size_t d = 0; d < box.dimensions(); ++d) {
    by_dimension.push_back(coordinates(box.low[d], box.high[d], counts[d], grid, min_width));
  }
  return combinations(by_dimension);
}

}  // namespace flopcast::model
