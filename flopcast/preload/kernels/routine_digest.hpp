#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/support/inline_vector.hpp"
#include "flopcast/selective/kernel_table.hpp"

namespace flopcast::interpose::mpi {

/// What every call of a routine needs of its catalogue entry, in two lines of the cache: programs make kernels of a fraction of a microsecond
/// by the hundred thousand, and going through the entry's arguments takes longer than some of them.
class RoutineDigest {
 public:
  /// Of catalogue routine number `index`.
  explicit RoutineDigest(std::size_t index);

  /// The program may go by its results: it is always executed.
  [[nodiscard]] bool decides() const noexcept { return decides_; }
  /// A call with a work size of -1 only asks how much would be best: it is no work of its own. Arguments as Fortran passes them.
  [[nodiscard]] bool asks_for_work_size(std::span<void* const> pointers) const noexcept;
  /// The kernel that a call is: sizes, flags, and whether vectors lie contiguously.
  [[nodiscard]] path::KernelKey key_of(const Call& call) const noexcept;
  /// The same from arguments as Fortran passes them.
  [[nodiscard]] path::KernelKey key_of(std::span<void* const> pointers) const noexcept;

  static constexpr std::size_t flags_word = 6, strides_word = 7;  ///< of a key

 private:
  /// How a flag becomes a letter of the key.
  enum class Spelling : std::uint8_t { letter, sign, digit };
  struct Flag {
    std::uint8_t argument = 0;
    Spelling spelling = Spelling::letter;
  };

  template <class Letter, class Number>
  [[nodiscard]] path::KernelKey key_from(Letter letter, Number number) const noexcept;

  std::uint32_t index_;
  bool decides_;
  std::uint8_t arguments_;  ///< their number
  InlineVector<std::uint8_t, 6> sizes_;
  InlineVector<Flag, 8> flags_;
  InlineVector<std::uint8_t, 4> increments_, work_sizes_;
};

/// Those of the whole catalogue, by number; takes milliseconds the first time.
const std::vector<RoutineDigest>& routine_digests();

}  // namespace flopcast::interpose::mpi
