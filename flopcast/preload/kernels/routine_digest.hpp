#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/support/inline_vector.hpp"

namespace flopcast::preload::mpi {

/// The parts of a routine's catalogue entry that every call needs, in two cache lines. Programs call kernels of a fraction of a microsecond
/// by the hundred thousand, and some of these take less time than reading the entry's arguments.
class RoutineDigest {
 public:
  /// Makes the digest of catalogue routine number `index`.
  explicit RoutineDigest(std::size_t index);

  /// Returns whether the routine's results may steer the program, so that it is always executed.
  [[nodiscard]] bool decides() const noexcept { return decides_; }
  /// Returns whether a call only queries the best workspace size, by a work size of -1, and does no work. Arguments are as Fortran passes
  /// them.
  [[nodiscard]] bool is_workspace_query(std::span<void* const> pointers) const noexcept;
  /// Returns the kernel of a call: its sizes, flags, and whether vectors are contiguous.
  [[nodiscard]] selective::KernelKey key_of(const Call& call) const noexcept;
  /// Returns the kernel from arguments as Fortran passes them.
  [[nodiscard]] selective::KernelKey key_of(std::span<void* const> pointers) const noexcept;

  static constexpr std::size_t flags_word = 6, strides_word = 7;  ///< words of a key

 private:
  /// Conversion of a flag to a letter of the key.
  enum class Spelling : std::uint8_t { letter, sign, digit };
  struct Flag {
    std::uint8_t argument = 0;
    Spelling spelling = Spelling::letter;
  };

  template <class Letter, class Number>
  [[nodiscard]] selective::KernelKey key_from(Letter letter, Number number) const noexcept;

  std::uint32_t index_;
  bool decides_;
  std::uint8_t arguments_;  ///< their number
  InlineVector<std::uint8_t, 6> sizes_;
  InlineVector<Flag, 8> flags_;
  InlineVector<std::uint8_t, 4> increments_, work_sizes_;
};

/// Returns the digests of the whole catalogue, by number; takes milliseconds the first time.
const std::vector<RoutineDigest>& routine_digests();

}  // namespace flopcast::preload::mpi
