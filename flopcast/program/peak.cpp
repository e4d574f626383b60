#include "flopcast/program/program_breakdown.hpp"

namespace flopcast::program {

std::optional<double> efficiency(const CallSum& sum, const std::optional<Peak>& peak) {
  if (!peak || peak->flops_rate <= 0 || sum.flops <= 0 || sum.described_seconds <= 0) {
    return std::nullopt;
  }
  return sum.peak_flops / sum.described_seconds / peak->flops_rate;
}

}  // namespace flopcast::program
