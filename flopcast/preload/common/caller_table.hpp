#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace flopcast::preload {

/// A lock-free table of fixed size that holds a word for each pair of a routine and a call site (a return address). It is static memory of
/// a library, which is initially zero.
template <unsigned bits>
class CallerTable {
 public:
  /// Returns the stored word; 0 if there is none.
  [[nodiscard]] std::uint64_t find(std::uint32_t routine, const void* caller) const noexcept {
    const CallerEntry* entry = place_of(entries_, key_of(routine, caller));
    return entry != nullptr && entry->key.load(std::memory_order_relaxed) != 0 ? entry->word.load(std::memory_order_acquire) : 0;
  }

  /// Stores `word`, which must not be 0, if there is room for it.
  void remember(std::uint32_t routine, const void* caller, std::uint64_t word) noexcept {
    const std::uint64_t key = key_of(routine, caller);
    CallerEntry* entry = place_of(entries_, key);
    std::uint64_t nothing = 0;
    if (entry != nullptr && (entry->key.compare_exchange_strong(nothing, key) || nothing == key)) {
      entry->word.store(word, std::memory_order_release);
    }
  }

 private:
  struct CallerEntry {
    std::atomic<std::uint64_t> key;  ///< 0: free
    std::atomic<std::uint64_t> word;
  };
  static constexpr std::size_t size = std::size_t{1} << bits;

  static std::uint64_t key_of(std::uint32_t routine, const void* caller) noexcept {
    return (reinterpret_cast<std::uintptr_t>(caller) ^ static_cast<std::uint64_t>(routine + 1) << 48U) | 1U;
  }

  /// Returns the slot of a key, used or free; nullptr if there is no room for it.
  template <class Entries>
  static auto place_of(Entries& entries, std::uint64_t key) noexcept -> decltype(&entries[0]) {
    constexpr std::size_t max_steps = 16;
    const std::size_t first = (key * 0x9e3779b97f4a7c15U) >> (64 - bits);
    for (std::size_t step = 0; step < max_steps; ++step) {
      auto& entry = entries[(first + step) % size];
      const std::uint64_t there = entry.key.load(std::memory_order_acquire);
      if (there == key || there == 0) {
        return &entry;
      }
    }
    return nullptr;
  }

  CallerEntry entries_[size];
};

}  // namespace flopcast::preload
