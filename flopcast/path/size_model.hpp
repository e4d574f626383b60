#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "flopcast/core/units.hpp"
#include "flopcast/path/kernel_table.hpp"
#include "flopcast/path/student_quantiles.hpp"

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

/// How many sizes of a computation or region aren't zero; 0 for messages.
std::size_t positive_sizes(const KernelKey& key);

/// Where a size lies among others: logarithms of its sizes, so that distances are ratios.
using SizePlace = std::array<double, 6>;
SizePlace size_place(const KernelKey& key);

/// What kernels of one routine must have in common to be predicted from each other: their key without sizes.
KernelKey without_sizes(const KernelKey& key);

/// The time of a routine over its sizes, as a sum of terms with coefficients that aren't negative, fitted to relative errors. Such fits
/// predict kernels of unseen block sizes within 0.1 to 8 % in sum, and 15 % where they extrapolate; hence it doesn't answer far outside of
/// what it has seen. What the fit is off at sizes nearby (another cache level, a library's other code) corrects it.
class SizeModel {
 public:
  struct Point {
    SizeTerms terms{};
    Seconds seconds = 0;
    SizePlace place{};
  };
  /// Nothing can be predicted from fewer than four different sizes.
  explicit SizeModel(std::span<const Point> points);
  /// Interval of a single size's mean at the confidence of `quantiles`; nothing outside of the range, from half of the least operations to
  /// one and a half times the most.
  /// A size's own time says nothing here: what is known of it can be compared with this.
  [[nodiscard]] std::optional<SizePrediction> predict(const SizeTerms& terms, StudentQuantiles& quantiles,
                                                      const SizePlace& place = {}) const;

 private:
  /// How far the fit is off at known sizes, as logarithms. Coordinate by coordinate, since a prediction looks at all of them.
  struct Residuals {
    std::array<std::vector<float>, std::tuple_size_v<SizePlace>> places;
    std::vector<float> values;
  };
  /// The square of how far the corrected fit is off at a size that it doesn't know.
  struct Trial {
    SizePlace place{};
    double square = 0;
  };
  [[nodiscard]] double value(const SizeTerms& terms) const;
  /// What the fit is off at `place`, from the other sizes around it, and the square of the distance of the nearest.
  [[nodiscard]] std::pair<double, double> correction(const SizePlace& place) const;
  void note_residuals(std::span<const Point> points);
  /// Variance of relative errors where sizes nearby correct the fit, and its degrees of freedom.
  [[nodiscard]] std::pair<double, double> variance_near(const SizePlace& place) const;

  Residuals residuals_;
  std::vector<Trial> trials_;         ///< one size left out after the other
  std::vector<std::size_t> used_;     ///< terms with a coefficient
  std::vector<double> coefficients_;  ///< of those
  std::vector<double> inverse_;       ///< of their normal equations, row by row
  double variance_ = 0;               ///< of relative errors
  double degrees_ = 0;                ///< of freedom
  double least_ = 0, most_ = 0;       ///< operations
};

}  // namespace flopcast::path
