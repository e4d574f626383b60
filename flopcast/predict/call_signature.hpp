#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/sample.hpp"

namespace flopcast::prediction {

/// Assigns equal numbers to equal sequences of words, counted from 0 in the order of their first occurrence. The table is a hash table with
/// open addressing.
class IdTable {
 public:
  IdTable() : slots_(64) {}

  /// Returns the number of `words`, and whether it is new.
  std::pair<std::size_t, bool> id(std::span<const std::uint64_t> words);
  [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }

 private:
  struct WordSequence {
    std::uint64_t hash;
    std::size_t begin, size;  // range in words_
  };
  struct Slot {
    std::uint64_t hash = 0;
    std::size_t number = 0;  // number of the key, counted from 1; 0: free
  };

  void grow();

  std::vector<Slot> slots_;  // the number of slots is a power of 2
  std::vector<WordSequence> keys_;
  std::vector<std::uint64_t> words_;
};

/// Encodes calls without their addresses as sequences of words, which are equal for calls that take equally long in the same cache state.
class CallSignature {
 public:
  /// Returns the routine, threads, scalars and all integer and flag arguments of `call`. The result is valid until the next call of this
  /// function.
  std::span<const std::uint64_t> operator()(const Call& call);

 private:
  struct EncodedArguments {
    const Routine* routine = nullptr;
    std::vector<std::uint8_t> arguments;  // positions of the encoded arguments
    std::size_t scalars = 0;
  };
  const EncodedArguments& layout(const Routine* routine);

  std::vector<EncodedArguments> layouts_;  // one per routine seen; there are few
  std::array<std::uint64_t, 2 + Call::max_arguments + 4> words_{};
};

/// Returns `distance_bytes` rounded to its four leading bits, so that nearly equal placements share an estimate. The error is at most 1/16.
[[nodiscard]] std::int64_t rounded_distance(std::int64_t distance_bytes) noexcept;

/// Returns the level, dirtiness and rounded distance in one word.
[[nodiscard]] std::uint64_t word(const OperandState& state) noexcept;

}  // namespace flopcast::prediction
