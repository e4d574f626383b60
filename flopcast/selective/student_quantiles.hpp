#pragma once

#include <cstddef>
#include <vector>

namespace flopcast::selective {

/// Quantiles of Student's t for intervals of one confidence, each computed once. Decisions need them at every kernel, and computing one
/// takes as long as many kernels (0.1 ms with many degrees of freedom).
class StudentQuantiles {
 public:
  /// `confidence` of an interval with two sides, in (0, 1).
  explicit StudentQuantiles(double confidence) : confidence_(confidence) {}

  /// Returns the quantile for `degrees` of freedom, at least 1. From 1000 on they are taken for 1000, which changes the quantile by 0.2 %
  /// at most. Between whole numbers its logarithm is interpolated along 1 / degrees. The error is 0.5 % at most from 3 degrees on, up to a
  /// confidence of 0.99.
  double operator()(double degrees);

 private:
  double of_whole(std::size_t degrees);

  double confidence_;
  std::vector<double> found_;  ///< index: degrees of freedom; 0 where none was needed yet
};

}  // namespace flopcast::selective
