#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "flopcast/core/units.hpp"
#include "flopcast/path/kernel_table.hpp"

namespace flopcast::path {

/// A time that was never measured.
struct SizePrediction {
  Seconds mean = 0;
  Seconds half_width = 0;  ///< of its interval
};

/// What the time of a kernel of some size is made of: 1, the sizes' sum, the sum of their products in pairs, and its operations (of
/// messages: 1 and bytes).
using SizeTerms = std::array<double, 4>;
SizeTerms size_terms(const KernelKey& key, double flops);

/// What kernels of one routine must have in common to be predicted from each other: their key without sizes.
KernelKey without_sizes(const KernelKey& key);

/// The time of a routine over its sizes, as a sum of terms with coefficients that aren't negative, fitted to relative errors. Such fits
/// predict kernels of unseen block sizes within 0.1 to 8 % in sum, and 15 % where they extrapolate; hence it doesn't answer far outside of
/// what it has seen.
class SizeModel {
 public:
  struct Point {
    SizeTerms terms{};
    Seconds seconds = 0;
  };
  /// Nothing can be predicted from fewer than four different sizes.
  explicit SizeModel(std::span<const Point> points);
  /// Interval of a single size's mean at `confidence`; nothing outside of the range, from half of the least operations to one and a half
  /// times the most.
  [[nodiscard]] std::optional<SizePrediction> predict(const SizeTerms& terms, double confidence) const;

 private:
  std::vector<std::size_t> used_;     ///< terms with a coefficient
  std::vector<double> coefficients_;  ///< of those
  std::vector<double> inverse_;       ///< of their normal equations, row by row
  double variance_ = 0;               ///< of relative errors
  double degrees_ = 0;                ///< of freedom
  double least_ = 0, most_ = 0;       ///< operations
};

}  // namespace flopcast::path
