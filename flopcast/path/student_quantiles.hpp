#pragma once

#include <cstddef>
#include <vector>

namespace flopcast::path {

/// Quantiles of Student's t for intervals of one confidence, each found once: decisions ask for them at every kernel, and finding one takes
/// as long as many kernels (with many degrees of freedom 0.1 ms).
class StudentQuantiles {
 public:
  /// `confidence` of an interval with two sides, in (0, 1).
  explicit StudentQuantiles(double confidence) : confidence_(confidence) {}

  /// For `degrees` of freedom, at least 1; from 1000 on they are taken for 1000, by which the quantile is off by 0.2 % at most. Between whole
  /// numbers its logarithm is interpolated along 1 / degrees: off by 0.5 % at most from 3 on, up to a confidence of 0.99.
  double operator()(double degrees);

 private:
  double of_whole(std::size_t degrees);

  double confidence_;
  std::vector<double> found_;  ///< by degrees; 0 where none was asked for
};

}  // namespace flopcast::path
