#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"

namespace flopcast::kernel::reference {

/// How large the sizes of the cases are.
enum class Extent {
  small,   ///< odd, equal, one and zero, wide bands; tight and loose strides
  medium,  ///< a few dozen, tight and loose strides
  large,   ///< beyond the crossover points of blocked LAPACK routines; loose strides
};

/// Calls of `routine` with all its flags, without addresses; only legal ones.
std::vector<Call> cases(const Routine& routine, Extent extent);

/// Memory for all operands of a call, with guards around each; every byte is 0xff at first, so that numbers are NaN.
class GuardedMemory {
 public:
  /// Puts the addresses into `call`.
  explicit GuardedMemory(Call& call);

  /// Argument index and bytes of each operand, guards included.
  struct Block {
    std::size_t argument;
    std::vector<std::byte> bytes;
    std::size_t begin;  ///< where the operand's span starts
  };
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }

 private:
  std::vector<Block> blocks_;
};

/// Fills the operands for `call`, so that an error anywhere would show: the H of rotm, which fill leaves as the identity, gets four
/// elements of its own (flag -1), and a definite matrix a diagonal of twice its order, which doesn't hide the rest in single precision.
void prepare(const Call& call, std::uint64_t seed = 1);

/// Which bytes of `block` belong to the operand's footprint.
std::vector<bool> footprint_mask(const Call& call, const GuardedMemory::Block& block);

}  // namespace flopcast::kernel::reference
