#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace flopcast::path {

/// One dimension of a grid of processes: `size` ranks, `stride` apart.
struct Dimension {
  std::int32_t stride = 1, size = 1;
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

/// The shape of a set of ranks that is a Cartesian grid, wherever it begins. Dimensions are ordered by growing stride, none has size 1, and
/// neighbours that make up one dimension are joined. Channels along different dimensions of a program's grid combine to aggregate channels
/// (Hutter and Solomonik 2021, section III-B). Combining needs no communication, since every process knows the ranks.
class Aggregate {
 public:
  /// A single process.
  Aggregate() = default;
  /// Combines dimensions in any order. Returns nothing if their sums aren't all different in a mixed-radix way (one dimension's extent
  /// reaches into the next one's stride).
  static std::optional<Aggregate> of_dimensions(std::vector<Dimension> dimensions);
  /// Finds the grid of distinct ranks in any order; nothing if they are no grid.
  static std::optional<Aggregate> of_ranks(std::vector<int> ranks);
  /// Returns the grid of all sums of ranks of `a` and `b`; nothing if these are no grid.
  [[nodiscard]] static std::optional<Aggregate> combined(const Aggregate& a, const Aggregate& b);

  [[nodiscard]] const std::vector<Dimension>& dimensions() const noexcept { return dimensions_; }
  [[nodiscard]] std::int64_t processes() const noexcept;
  /// Returns true if the grid is all of `ranks` processes.
  [[nodiscard]] bool covers(int ranks) const noexcept;

  friend bool operator==(const Aggregate&, const Aggregate&) = default;

 private:
  explicit Aggregate(std::vector<Dimension> dimensions) : dimensions_(std::move(dimensions)) {}
  std::vector<Dimension> dimensions_;
};

/// Returns the distance between consecutive ranks; 0 if it varies, 1 for a single rank.
[[nodiscard]] int stride_of(std::span<const int> ranks) noexcept;

}  // namespace flopcast::path
