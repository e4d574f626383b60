#pragma once

#include "flopcast/scale/machine_description.hpp"

namespace flopcast::scale {

/// Returns the time of a message of `bytes`.
inline Seconds message_seconds(const MachineDescription& machine, const Link& link, std::int64_t bytes) {
  MessageClass found;
  for (const MessageClass& of : machine.message_classes) {
    if (of.bytes <= bytes) {
      found = of;
    }
  }
  return link.latency * found.latency_factor + static_cast<double>(bytes) / (link.bytes_per_second * found.bandwidth_factor);
}

}  // namespace flopcast::scale
