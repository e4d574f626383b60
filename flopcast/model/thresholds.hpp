#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "flopcast/model/box.hpp"
#include "flopcast/model/polynomial.hpp"

/// Where a library goes from one thread to several: a cliff that polynomials follow on neither side. Libraries decide by the amount of
/// work, so a threshold is a value of the product of a call's sizes (OpenBLAS: m n k of gemm, m n of gemv, n of axpy).
namespace flopcast::model {

/// How many threads work on a call of these sizes: CPU time of all threads over that of the caller. Nothing if it was interrupted.
using TeamProbe = std::function<std::optional<double>(const Sizes& sizes)>;

double product_of_sizes(std::span<const std::int64_t> sizes) noexcept;
/// The same as a polynomial: a model's pieces tell their sides by it.
Polynomial product_polynomial(std::size_t sizes);

/// The product at which several threads begin to work on the way from the lowest to the highest sizes of `domain`, none if they always or
/// never do; found by probing nine points, of which single ones may be wrong, and bisecting between the two that differ, down to sizes that
/// are `minimum_width` apart. Nothing if it was interrupted.
std::optional<std::vector<double>> find_thresholds(const Box& domain, std::int64_t minimum_width, const TeamProbe& probe);

/// What lies between two thresholds: products in [low, high).
struct Side {
  double low = 0, high = std::numeric_limits<double>::infinity();
  [[nodiscard]] bool contains(std::span<const std::int64_t> sizes) const noexcept;
  /// Whether it has a part of the box.
  [[nodiscard]] bool meets(const Box& box) const noexcept;
  friend bool operator==(const Side&, const Side&) = default;
};

/// One more than there are thresholds, from the least work to the most.
std::vector<Side> sides(std::span<const double> thresholds);

/// `point` of `box`, or where it is on another side, the one nearest to it on the way to the corner that is on this side, at multiples of
/// `minimum_width` as far as the box allows. Nothing if there is none.
std::optional<Sizes> moved_to(const Side& side, const Box& box, const Sizes& point, std::int64_t minimum_width);

}  // namespace flopcast::model
