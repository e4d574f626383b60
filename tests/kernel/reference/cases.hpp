#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"

namespace flopcast::kernel::reference {

/// Ranges of the cases' sizes.
enum class Extent {
  small,   ///< odd, equal, one and zero, wide bands; tight and loose strides
  medium,  ///< a few dozen, tight and loose strides
  large,   ///< beyond the crossover points of blocked LAPACK routines; loose strides
};

/// Returns legal calls of `routine` with all values of its flags, without addresses.
std::vector<Call> cases(const Routine& routine, Extent extent);

/// Memory for all operands of a call, with guards around each operand. Every byte is 0xff at first, so that numbers are NaN.
class GuardedMemory {
 public:
  /// Writes the addresses into `call`.
  explicit GuardedMemory(Call& call);

  /// Argument index and bytes of an operand, guards included.
  struct Block {
    std::size_t argument;
    std::vector<std::byte> bytes;
    std::size_t begin;  ///< begin of the operand's span
  };
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }

 private:
  std::vector<Block> blocks_;
};

/// Fills the operands for `call`, so that an error in any element shows. The H of rotm, which fill leaves as the identity, gets four
/// elements (flag -1). A definite matrix gets a diagonal of twice its order, which doesn't hide the other elements in single precision.
void prepare(const Call& call, std::uint64_t seed = 1);

/// Returns for each byte of `block` whether it belongs to the operand's footprint.
std::vector<bool> footprint_mask(const Call& call, const GuardedMemory::Block& block);

}  // namespace flopcast::kernel::reference
