#pragma once

#include <cstdint>
#include <vector>

#include "flopcast/core/call.hpp"

namespace flopcast::tuning {

/// Share of an operand that a series of calls has touched, estimated from bytes spread evenly over the operand.
class Coverage {
 public:
  explicit Coverage(const Operand& operand);

  /// Counts the bytes that `call` touches, in whole cache lines; returns whether any of them were new.
  bool add(const Call& call);
  /// Returns the share of the operand's bytes touched so far; 1 for an operand without bytes.
  [[nodiscard]] double share() const noexcept { return total_ > 0 ? covered_ / total_ : 1; }
  /// Returns whether the operand is touched except for a negligible remainder.
  [[nodiscard]] bool complete() const noexcept;

 private:
  struct Probe {
    std::uintptr_t byte = 0;
    double weight = 0;  ///< number of bytes that the sampled byte represents
  };
  std::vector<Probe> uncovered_;
  double total_ = 0, covered_ = 0;
};

}  // namespace flopcast::tuning
