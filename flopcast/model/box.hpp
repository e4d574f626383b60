#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace flopcast::model {

/// The size arguments of a call, in the order of the interface.
using Sizes = std::vector<std::int64_t>;

/// An upper bound for the number of sizes of any routine (tpmqrt has five: m, n, k, l, nb).
inline constexpr std::size_t max_sizes = 6;

/// A hyper-cuboid of sizes, both ends included: low[d] <= sizes[d] <= high[d]. A dimension with low = high is fixed.
struct Box {
  Sizes low, high;

  [[nodiscard]] std::size_t dimensions() const noexcept { return low.size(); }
  [[nodiscard]] bool contains(std::span<const std::int64_t> sizes) const noexcept;
  friend bool operator==(const Box&, const Box&) = default;
};

/// Throws bad_input unless `box` has 1 to max_sizes dimensions and 0 <= low <= high in each.
void check(const Box& box);

/// Returns the point of `box` that is nearest to `sizes`.
Sizes nearest_point(const Box& box, std::span<const std::int64_t> sizes);

/// Returns the box with the smallest distance to `sizes`: the sum over the dimensions of |log(size / nearest size inside)|. Requires at
/// least one box.
const Box& nearest_box(std::span<const Box> boxes, std::span<const std::int64_t> sizes);

/// Cuts `box` into halves of roughly equal size in every dimension in which both halves are at least `min_size` wide (paper 000,
/// section 2.2). Cuts lie at multiples of `min_width`. Returns up to 2^d boxes that share their faces, or only `box` itself if no
/// dimension can be cut.
std::vector<Box> subdivide(const Box& box, std::int64_t min_size, std::int64_t min_width);

}  // namespace flopcast::model
