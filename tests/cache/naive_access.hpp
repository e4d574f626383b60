#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "flopcast/cache/access_distance.hpp"

namespace flopcast::cache {

/// Every byte of a region by itself.
inline std::set<std::uintptr_t> bytes_of(const Region& region) {
  std::set<std::uintptr_t> bytes;
  for (std::int64_t j = 0; j < region.columns; ++j) {
    const std::uintptr_t column = region.address + static_cast<std::uintptr_t>(j * region.stride_bytes);
    for (std::int64_t i = 0; i < region.column_bytes + j * region.growth_bytes; ++i) {
      bytes.insert(column + static_cast<std::uintptr_t>(i));
    }
  }
  return bytes;
}

/// The access distances of paper 000, section 3, literally: a scan back over the kernels that collects memory byte by byte.
class NaiveAccess {
 public:
  NaiveAccess(const Trace& trace, const AccessOptions& options) : options_(options) {
    if (options.start == Start::filled) {
      for (const Allocation& allocation : trace.allocations) {
        events_.push_back({{bytes_of({allocation.address, allocation.bytes, 1, allocation.bytes, 0}), true}});
      }
    }
    for (int pass = options.start == Start::repeated ? 0 : 1; pass < 2; ++pass) {
      first_ = events_.size();
      for (const Call& call : trace.calls) {
        Event event;
        for (const Operand& operand : operands(call)) {
          event.push_back({{}, operand.access != Access::read});
          for (const Region& part : operand.parts) {
            if (call.address(operand.argument) != 0) {
              event.back().bytes.merge(bytes_of(part));
            }
          }
          all_.insert(event.back().bytes.begin(), event.back().bytes.end());
        }
        events_.push_back(event);
      }
    }
  }

  OperandAccess access(std::size_t call, std::size_t operand) const {
    const std::set<std::uintptr_t>& bytes = events_[first_ + call][operand].bytes;
    OperandAccess access;
    std::int64_t written = 0;
    access.distance_bytes = distance(first_ + call, bytes, options_.limit_bytes);
    for (const std::uintptr_t byte : bytes) {
      const std::int64_t own = distance(first_ + call, {byte}, 0);
      const auto& thresholds = options_.thresholds_bytes;
      std::size_t bucket = 0;
      while (bucket < thresholds.size() && (own < 0 || own > thresholds[bucket])) {
        ++bucket;
      }
      ++access.bytes[bucket];
      written += last_wrote(first_ + call, byte) ? 1 : 0;
    }
    access.dirty = 2 * written > static_cast<std::int64_t>(bytes.size());
    return access;
  }

 private:
  struct Touched {
    std::set<std::uintptr_t> bytes;
    bool written;
  };
  using Event = std::vector<Touched>;

  std::int64_t distance(std::size_t event, const std::set<std::uintptr_t>& bytes, std::int64_t limit) const {
    if (bytes.empty()) {
      return 0;
    }
    std::set<std::uintptr_t> collection;
    while (event-- > 0) {
      bool found = false;
      for (const Touched& touched : events_[event]) {
        collection.insert(touched.bytes.begin(), touched.bytes.end());
        found = found || std::any_of(bytes.begin(), bytes.end(), [&](std::uintptr_t byte) { return touched.bytes.count(byte) > 0; });
      }
      const auto collected = static_cast<std::int64_t>(collection.size());
      if (found || (limit > 0 && collected > limit)) {
        return collected;
      }
    }
    return options_.start == Start::artificial ? static_cast<std::int64_t>(collection.size() + all_.size()) : -1;
  }

  bool last_wrote(std::size_t event, std::uintptr_t byte) const {
    while (event-- > 0) {
      bool found = false, wrote = false;
      for (const Touched& touched : events_[event]) {
        const bool here = touched.bytes.count(byte) > 0;
        found = found || here;
        wrote = wrote || (here && touched.written);
      }
      if (found) {
        return wrote;
      }
    }
    return false;
  }

  AccessOptions options_;
  std::vector<Event> events_;
  std::size_t first_ = 0;  // event of the trace's first call
  std::set<std::uintptr_t> all_;
};

}  // namespace flopcast::cache
