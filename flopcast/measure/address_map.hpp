#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/trace.hpp"

namespace flopcast::measure {

/// Translates the virtual addresses of an experiment to real ones.
class AddressMap {
 public:
  /// Maps the virtual `allocation` to the address `real`.
  void add(const Allocation& allocation, std::uintptr_t real);

  /// Both functions throw bad_input if anything lies outside of the allocations.
  [[nodiscard]] Region real(const Region& region) const;
  /// Moves all operands to real addresses; an operand without elements may lie anywhere.
  [[nodiscard]] Call real(const Call& call) const;

 private:
  struct MappedRange {
    std::uintptr_t begin = 0, end = 0;
    std::uintptr_t real = 0;
  };
  [[nodiscard]] const MappedRange* find(std::uintptr_t begin, std::uintptr_t end) const;

  std::vector<MappedRange> pieces_;
};

/// Copies of an experiment's memory in one block of real memory.
struct Layout {
  std::vector<AddressMap> copies;
  std::int64_t size_bytes = 0;
};

/// Lays out `copies` copies of `memory` from `base` on, which must be page aligned. Allocations of a page or more start on a page plus a
/// multiple of 13 cache lines. The multiples differ between allocations, because equal offsets would compete for the same cache sets.
/// Smaller allocations follow each other at line boundaries.
Layout lay_out(std::span<const Allocation> memory, std::int64_t copies, std::uintptr_t base);

}  // namespace flopcast::measure
