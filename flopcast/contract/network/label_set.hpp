#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace flopcast::contract {

/// A set of small numbers below `capacity`.
class LabelSet {
 public:
  static constexpr std::size_t capacity = 256;

  void insert(std::size_t number) { words_[number / word] |= std::uint64_t{1} << number % word; }
  [[nodiscard]] bool has(std::size_t number) const { return (words_[number / word] >> number % word & 1U) != 0; }
  [[nodiscard]] bool is_empty() const { return (words_[0] | words_[1] | words_[2] | words_[3]) == 0; }

  friend LabelSet operator&(const LabelSet& x, const LabelSet& y) {
    return combined(x, y, [](std::uint64_t a, std::uint64_t b) { return a & b; });
  }
  friend LabelSet operator|(const LabelSet& x, const LabelSet& y) {
    return combined(x, y, [](std::uint64_t a, std::uint64_t b) { return a | b; });
  }
  /// Returns the numbers of x that y doesn't have.
  friend LabelSet operator-(const LabelSet& x, const LabelSet& y) {
    return combined(x, y, [](std::uint64_t a, std::uint64_t b) { return a & ~b; });
  }
  friend bool operator==(const LabelSet&, const LabelSet&) = default;

  /// Calls visit(number) for every number of the set, rising.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        visit(i * word + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
  }

 private:
  static constexpr std::size_t word = 64;
  template <class Combine>
  static LabelSet combined(const LabelSet& x, const LabelSet& y, Combine&& combine) {
    LabelSet result;
    for (std::size_t i = 0; i < result.words_.size(); ++i) {
      result.words_[i] = combine(x.words_[i], y.words_[i]);
    }
    return result;
  }

  std::array<std::uint64_t, capacity / word> words_{};
};

}  // namespace flopcast::contract
