#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/region.hpp"
#include "flopcast/core/trace.hpp"

namespace flopcast::measure {

/// Translates the virtual addresses of an experiment to real ones.
class AddressMap {
 public:
  /// From now on virtual `allocation` lies at `real`.
  void add(const Allocation& allocation, std::uintptr_t real);

  /// Throw bad_input if anything lies outside of the allocations.
  [[nodiscard]] Region real(const Region& region) const;
  /// Moves all operands; one without elements may lie anywhere.
  [[nodiscard]] Call real(const Call& call) const;

 private:
  struct Piece {
    std::uintptr_t begin = 0, end = 0;
    std::uintptr_t real = 0;
  };
  [[nodiscard]] const Piece* find(std::uintptr_t begin, std::uintptr_t end) const;

  std::vector<Piece> pieces_;
};

/// Copies of an experiment's memory in one stretch of real memory.
struct Layout {
  std::vector<AddressMap> copies;
  std::int64_t size_bytes = 0;
};

/// Puts `copies` copies of `memory` from `base` (page aligned) on. Allocations of a page or more start on a page plus a multiple of 13
/// cache lines that differs from one to the next, as equal offsets would compete for the same cache sets; smaller ones follow each other by
/// lines.
Layout lay_out(std::span<const Allocation> memory, std::int64_t copies, std::uintptr_t base);

}  // namespace flopcast::measure
