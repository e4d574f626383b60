#pragma once

#include <optional>

#include "flopcast/kernel/invoke.hpp"
#include "flopcast/measure/memory.hpp"
#include "flopcast/measure/session_services.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::measure {

/// The times of the reference kernels at one moment.
struct ReferenceTimes {
  Seconds product = 0;  ///< time of the product, by which times are normalised
  /// Time of the solve; 0 if the libraries have none. Its ratio to the product shows whether other programs use the core's second
  /// hyperthread, which the product hardly notices. On a Zen 5 they slow the product by 8 % and triangular solves by 50 to 70 %.
  Seconds solve = 0;
};

/// A dgemm of 256 x 256 x 256 and a dtrsm of 64 x 64 on their own operands. Repeating the same work shows the speed of the machine at a
/// moment.
class ReferenceKernels {
 public:
  /// Throws environment_error if the libraries have no dgemm.
  ReferenceKernels(const SessionServices& services, std::uint64_t seed);

  /// Executes each kernel once to warm its operands, then times another execution; the short solve takes the shortest of three.
  ReferenceTimes time(const Timer& timer);

 private:
  class ReferenceKernel {
   public:
    ReferenceKernel(kernel::Function function, const Call& call, std::uint64_t seed);
    void fill();
    /// Returns the time of the fastest of `runs` executions, after one more.
    Seconds time(const Timer& timer, int runs);

   private:
    Memory memory_;
    Call call_;
    std::uint64_t seed_;
    kernel::Invocation invocation_;
  };

  ReferenceKernel product_;
  std::optional<ReferenceKernel> solve_;
};

/// Wakes the vector units. CPUs switch off the upper parts of unused vector units after a while and run them slowly until they are awake
/// again, some 20 us later. Bringing memory into its state is such a pause; programs that call one kernel after another have none.
class VectorWarmup {
 public:
  /// Finds the library's dgemm; without dgemm, wake() does nothing.
  VectorWarmup(const SessionServices& services, std::uint64_t seed);

  /// Executes a small dgemm, which leaves most of L1 alone, for as long as waking takes.
  void wake(const Timer& timer);

 private:
  Memory memory_;
  std::optional<kernel::Invocation> invocation_;
};

}  // namespace flopcast::measure
