#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/core/region.hpp"
#include "flopcast/core/trace.hpp"

namespace flopcast::cache {

/// What every operand of every call of a trace touches, evaluated once and stored densely.
class Footprints {
 public:
  /// A non-empty region of an operand with an address.
  struct Part {
    Region region;
    std::uint8_t operand = 0;  ///< index into operands(call)
    bool written = false;
  };

  /// Runs shorter than `line_bytes` count as the whole cache lines that they are in; 1: as the bytes that they are.
  explicit Footprints(const Trace& trace, std::int64_t line_bytes = 1);

  [[nodiscard]] std::size_t calls() const noexcept { return operands_.size(); }
  /// Of all operands of a call, in their order.
  [[nodiscard]] std::span<const Part> parts(std::size_t call) const noexcept {
    return std::span(parts_).subspan(first_part_[call], first_part_[call + 1] - first_part_[call]);
  }
  [[nodiscard]] std::span<const Part> all_parts() const noexcept { return parts_; }
  /// How many operands a call has, those included that touch nothing.
  [[nodiscard]] std::size_t operand_count(std::size_t call) const noexcept { return operands_[call]; }

 private:
  std::vector<Part> parts_;
  std::vector<std::size_t> first_part_;
  std::vector<std::uint8_t> operands_;
};

}  // namespace flopcast::cache
