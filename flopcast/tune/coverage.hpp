#pragma once

#include <cstdint>
#include <vector>

#include "flopcast/core/call.hpp"

namespace flopcast::tune {

/// How much of an operand some calls have touched: estimated from bytes spread evenly over it.
class Coverage {
 public:
  explicit Coverage(const Operand& operand);

  /// Counts what `call` touches, in whole cache lines; returns whether that was anything new.
  bool add(const Call& call);
  /// Share of the operand's bytes touched so far; an operand without bytes is touched.
  [[nodiscard]] double share() const noexcept { return total_ > 0 ? covered_ / total_ : 1; }
  /// Touched but for a remainder that doesn't matter.
  [[nodiscard]] bool complete() const noexcept;

 private:
  struct Probe {
    std::uintptr_t byte = 0;
    double weight = 0;  ///< bytes that it stands for
  };
  std::vector<Probe> uncovered_;
  double total_ = 0, covered_ = 0;
};

}  // namespace flopcast::tune
