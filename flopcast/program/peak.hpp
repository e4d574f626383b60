#pragma once

#include <optional>
#include <string>

#include "flopcast/program/program_breakdown.hpp"

namespace flopcast::program {

/// The rate with which achieved rates are compared.
struct Peak {
  double flops_rate = 0;  ///< double precision, flops per second; single precision counts twice
  std::string what;       ///< "the best dgemm of openblas 0.3.21 (kernels SkylakeX) with 1 thread"
};

/// Returns the achieved rate as a fraction of the peak, or nothing without a peak or where no flops or time are known.
std::optional<double> efficiency(const CallSum& sum, const std::optional<Peak>& peak);

}  // namespace flopcast::program
