#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

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
  struct Key {
    std::uint64_t hash;
    std::size_t begin, size;  // range in words_
  };
  struct Slot {
    std::uint64_t hash = 0;
    std::size_t number = 0;  // number of the key, counted from 1; 0: free
  };

  void grow();

  std::vector<Slot> slots_;  // the number of slots is a power of 2
  std::vector<Key> keys_;
  std::vector<std::uint64_t> words_;
};

}  // namespace flopcast::prediction
