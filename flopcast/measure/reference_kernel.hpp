#pragma once

#include "flopcast/kernel/invoke.hpp"
#include "flopcast/measure/backend.hpp"
#include "flopcast/measure/memory.hpp"

namespace flopcast::measure {

/// A dgemm of 256 x 256 x 256 on operands of its own: the same work again and again tells how fast the machine is at a moment.
class ReferenceKernel {
 public:
  /// Throws environment_error if the libraries have no dgemm.
  ReferenceKernel(const Backend& backend, std::uint64_t seed);

  /// Runs it once to warm its operands, then takes the time of a second run.
  Seconds time(const Timer& timer);

 private:
  Memory memory_;
  kernel::Invocation invocation_;
};

}  // namespace flopcast::measure
