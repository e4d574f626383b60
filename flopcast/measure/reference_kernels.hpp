#pragma once

#include <optional>

#include "flopcast/kernel/invoke.hpp"
#include "flopcast/measure/backend.hpp"
#include "flopcast/measure/memory.hpp"

namespace flopcast::measure {

/// What the reference kernels take at a moment.
struct ReferenceTimes {
  Seconds product = 0;  ///< times are normalised with this
  /// Over the product's time, it tells whether others use the core's second hyperthread where the product itself hardly does: on a Zen 5
  /// they slow the product by 8 % and triangular solves by 50 to 70 %. 0 if the libraries have none.
  Seconds solve = 0;
};

/// A dgemm of 256 x 256 x 256 and a dtrsm of 64 x 64 on operands of their own: the same work again and again tells how fast the machine is
/// at a moment.
class ReferenceKernels {
 public:
  /// Throws environment_error if the libraries have no dgemm.
  ReferenceKernels(const Backend& backend, std::uint64_t seed);

  /// Runs each once to warm its operands, then takes the time of another run, of the short one the shortest of three.
  ReferenceTimes time(const Timer& timer);

 private:
  class Kernel {
   public:
    Kernel(kernel::Function function, const Call& call, std::uint64_t seed);
    void fill();
    /// Of the fastest of `runs`, after one more.
    Seconds time(const Timer& timer, int runs);

   private:
    Memory memory_;
    Call call_;
    std::uint64_t seed_;
    kernel::Invocation invocation_;
  };

  Kernel product_;
  std::optional<Kernel> solve_;
};

}  // namespace flopcast::measure
