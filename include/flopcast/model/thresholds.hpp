#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "flopcast/core/kernel_model.hpp"

/// Thresholds at which a library goes from one thread to several: cliffs that a single polynomial fits on neither side. Libraries decide by
/// the amount of work. So a threshold is a value of the product of the sizes of a call (OpenBLAS: m n k of gemm, m n of gemv, n of axpy).
namespace flopcast::model {

/// Returns how many threads work on a call of these sizes: the CPU time of all threads over the caller's. Returns nothing if it was
/// interrupted.
using TeamProbe = std::function<std::optional<double>(const Sizes& sizes)>;

double product_of_sizes(std::span<const std::int64_t> sizes) noexcept;
/// Returns the product of the sizes as a polynomial, which decides between a model's pieces on either side of a threshold.
Polynomial product_polynomial(std::size_t sizes);

/// Returns the product at which several threads begin to work on the way from the lowest to the highest sizes of `domain`. The result is
/// empty if several threads always or never work. Nine points are probed, of which single ones may be wrong. Bisection between the two
/// points that differ follows, down to sizes `min_width` apart. Returns nothing if it was interrupted.
std::optional<std::vector<double>> find_thresholds(const Box& domain, std::int64_t min_width, const TeamProbe& probe);

/// The range between two thresholds: products in [low, high).
struct Side {
  double low = 0, high = std::numeric_limits<double>::infinity();
  [[nodiscard]] bool contains(std::span<const std::int64_t> sizes) const noexcept;
  /// Returns whether a part of the box is on this side.
  [[nodiscard]] bool meets(const Box& box) const noexcept;
  friend bool operator==(const Side&, const Side&) = default;
};

/// Returns the sides, one more than there are thresholds, from the least work to the most.
std::vector<Side> sides(std::span<const double> thresholds);

/// Returns `point` of `box` if it is on `side`. Otherwise returns the nearest point on the way to the corner that is on this side, at
/// multiples of `min_width` as far as the box allows; nothing if there is none.
std::optional<Sizes> moved_to(const Side& side, const Box& box, const Sizes& point, std::int64_t min_width);

}  // namespace flopcast::model
