#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "flopcast/tune/decision.hpp"

namespace flopcast::cli {

/// Errors of the predictions of a validation, over all alternatives that were run.
class ValidationErrors {
 public:
  void add(const tuning::Check& check);
  /// Returns a text such as "error in wall time median 2.1 %, 95th percentile 5.0 % (normalised 1.9 and 4.6 %), 57 of 60 runs within
  /// their intervals". Requires an error.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<double> wall_, normalised_;
  std::size_t runs_ = 0, within_ = 0;
};

}  // namespace flopcast::cli
