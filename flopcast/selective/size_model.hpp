#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/selective/student_quantiles.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::selective {

/// PredictedCandidate of a time that was never measured.
struct SizePrediction {
  Seconds mean = 0;
  Seconds half_width = 0;  ///< half-width of the mean's interval
};

/// Terms of the time of a kernel of some size: 1, the sum of the sizes, the sum of their products in pairs, and the number of operations
/// (for messages: 1 and bytes).
using SizeTerms = std::array<double, 4>;
SizeTerms size_terms(const KernelKey& key, double flops);

/// Returns how many sizes of a computation or region aren't zero; 0 for messages.
std::size_t positive_sizes(const KernelKey& key);

/// Position of a size among others: logarithms of its sizes, so that distances are ratios.
using SizePlace = std::array<double, 6>;
SizePlace size_place(const KernelKey& key);

/// Returns the part of the key that kernels must share to be predicted from each other: the key without sizes.
KernelKey without_sizes(const KernelKey& key);

/// The time of a routine over its sizes: a sum of terms with non-negative coefficients, fitted to relative errors. Such fits predict the
/// sum of kernels of unseen block sizes within 0.1 to 8 %, and within 15 % where they extrapolate. Therefore the model doesn't answer far
/// outside of the sizes that it has seen. The errors of the fit at sizes nearby (another cache level, a library's other code) correct it.
class SizeModel {
 public:
  struct FittedPoint {
    SizeTerms terms{};
    Seconds seconds = 0;
    SizePlace place{};
  };
  /// Fits the model. With fewer than four different sizes nothing can be predicted.
  explicit SizeModel(std::span<const FittedPoint> points);
  /// Predicts the mean of a single size, with its interval at the confidence of `quantiles`. Returns nothing outside of the range from half
  /// of the least operations to one and a half times the most. The size's own time isn't used, so that it can be compared with the
  /// prediction.
  [[nodiscard]] std::optional<SizePrediction> predict(const SizeTerms& terms, StudentQuantiles& quantiles,
                                                      const SizePlace& place = {}) const;

 private:
  /// Errors of the fit at known sizes, as logarithms. They are stored coordinate by coordinate, since a prediction looks at all of them.
  struct Residuals {
    std::array<std::vector<float>, std::tuple_size_v<SizePlace>> places;
    std::vector<float> values;
  };
  /// Squared error of the corrected fit at a size that was skipped of it.
  struct Trial {
    SizePlace place{};
    double square = 0;
  };
  [[nodiscard]] double value(const SizeTerms& terms) const;
  /// Returns the correction of the fit at `place`, from the other sizes around it, and the squared distance of the nearest one.
  [[nodiscard]] std::pair<double, double> correction(const SizePlace& place) const;
  void note_residuals(std::span<const FittedPoint> points);
  /// Returns the variance of relative errors where sizes nearby correct the fit, and its degrees of freedom.
  [[nodiscard]] std::pair<double, double> variance_near(const SizePlace& place) const;

  Residuals residuals_;
  std::vector<Trial> trials_;                       ///< each size is skipped in turn
  std::vector<std::size_t> used_;                   ///< indices of the terms with a coefficient
  std::vector<double> coefficients_;                ///< coefficients of these terms
  std::vector<double> inverse_;                     ///< inverse of their normal equations, row by row
  double variance_ = 0;                             ///< variance of relative errors
  double degrees_ = 0;                              ///< degrees of freedom
  double min_operations_ = 0, max_operations_ = 0;  ///< range of operations
};

}  // namespace flopcast::selective
