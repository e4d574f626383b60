#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/trace.hpp"

namespace flopcast::cache {

/// The regions that every operand of every call of a trace touches. Calls that differ in addresses only share one pattern of footprints: a
/// long trace has few patterns, and touching new memory costs more than adding addresses. The trace must outlive this object.
class Footprints {
 public:
  /// A non-empty region of an operand with an address.
  struct TouchedPart {
    Region region;
    std::uint8_t operand = 0;  ///< index into operands(call)
    bool written = false;
  };

  /// Constructs the patterns of all calls. Runs shorter than `line_bytes` count as whole cache lines; with 1 every run counts as its bytes.
  explicit Footprints(const Trace& trace, std::int64_t line_bytes = 1);

  [[nodiscard]] std::size_t calls() const noexcept { return calls_.size(); }
  /// Returns the number of operands of a call, including those that touch nothing.
  [[nodiscard]] std::size_t operand_count(std::size_t call) const noexcept { return patterns_[pattern_of_[call]].operands; }

  /// Calls visit(part) for all parts of all operands of a call, in their order.
  template <class Visit>
  void visit(std::size_t call, Visit&& visit) const {
    const FootprintPattern& pattern = patterns_[pattern_of_[call]];
    for (std::size_t i = pattern.first; i < pattern.first + pattern.parts; ++i) {
      TouchedPart part = parts_[i].part;
      if (const std::uintptr_t address = calls_[call].address(parts_[i].argument); address != 0) {
        part.region.address += address;
        if (parts_[i].widened) {
          part.region = whole_lines(part.region, line_bytes_);
        }
        visit(part);
      }
    }
  }

 private:
  /// A part whose address is relative to the address of its operand.
  struct RelativePart {
    TouchedPart part;
    std::uint8_t argument = 0;
    bool widened = false;
  };
  /// The parts that all calls of one routine with the same flags, sizes and strides share.
  struct FootprintPattern {
    std::size_t first = 0, parts = 0;
    std::uint8_t operands = 0;
  };

  void add_pattern(const Call& call);

  std::span<const Call> calls_;
  std::int64_t line_bytes_;
  std::vector<RelativePart> parts_;
  std::vector<FootprintPattern> patterns_;
  std::vector<std::uint32_t> pattern_of_;  // by call
};

}  // namespace flopcast::cache
