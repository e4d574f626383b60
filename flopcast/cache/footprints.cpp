#include "flopcast/cache/footprints.hpp"

namespace flopcast::cache {

Footprints::Footprints(const Trace& trace, std::int64_t line_bytes) {
  parts_.reserve(3 * trace.calls.size());
  first_part_.reserve(trace.calls.size() + 1);
  operands_.reserve(trace.calls.size());
  for (const Call& call : trace.calls) {
    first_part_.push_back(parts_.size());
    const Operands all = operands(call);
    operands_.push_back(static_cast<std::uint8_t>(all.size()));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (call.address(all[i].argument) == 0) {
        continue;
      }
      const std::int64_t widened_to = all[i].parts.size() == 1 ? line_bytes : 1;  // lines of several parts might overlap
      for (const Region& region : all[i].parts) {
        if (!region.empty()) {
          parts_.push_back({whole_lines(region, widened_to), static_cast<std::uint8_t>(i), all[i].access != Access::read});
        }
      }
    }
  }
  first_part_.push_back(parts_.size());
}

}  // namespace flopcast::cache
