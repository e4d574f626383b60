#pragma once

#include <cstdint>

#include "flopcast/core/call.hpp"
#include "flopcast/support/inline_vector.hpp"

namespace flopcast {

/// State of an operand before a call: its access distance and cache level.
struct OperandState {
  /// Bytes touched since and including the operand's last access (paper 000, section 3); negative if never accessed before.
  std::int64_t distance_bytes = -1;
  /// Cache level that contains the operand, counted from 0 = L1; Environment::caches.size() means memory.
  std::int8_t level = 0;
  /// True if the operand's last access wrote it.
  bool dirty = false;
  friend bool operator==(const OperandState&, const OperandState&) = default;
};

/// State of every operand of a call, in the order of operands(call).
using Placement = InlineVector<OperandState, max_operands>;

}  // namespace flopcast
