#pragma once

#include <cstdint>

namespace flopcast::selective {

/// Numbers of kernels whose times in this run agree with the times before it, and of others.
struct PriorAgreement {
  std::int64_t agreed = 0, differed = 0;
};

/// Decides from the kernels that were checked whether times from before this run count for kernels that weren't. Each routine has its own
/// PriorAgreement.
class PriorTrust {
 public:
  /// Forgets what was found.
  void begin() noexcept { all_ = {}; }
  /// Notes that the prior times of a kernel of `routine` agree with its first time of this run, or differ from it.
  void note(PriorAgreement& routine, bool agrees) noexcept;
  /// Returns true if most checked kernels of a routine, or most of all kernels, have other times now.
  [[nodiscard]] bool has_drifted(const PriorAgreement& routine) const noexcept;
  /// Returns true if a routine's prior times count without a check of their own. Within windows, which check as much as they can, they
  /// count until they are found to have changed. Without windows several kernels, one of the routine among them, must first have been found
  /// unchanged.
  [[nodiscard]] bool holds_for(const PriorAgreement& routine, bool windows_check) const noexcept;

 private:
  /// Number of kernels whose agreement with prior times, or excess of disagreement, decides about the prior times of all kernels.
  static constexpr std::int64_t several = 4;
  PriorAgreement all_;
};

}  // namespace flopcast::selective
