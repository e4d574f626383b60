#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "flopcast/cache/access_distance.hpp"

namespace flopcast::cache {

/// Returns every byte of a region.
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

/// Returns the accesses of all calls of a trace; result i belongs to call i.
inline std::vector<CallAccess> access_distances(const Trace& trace, const AccessOptions& options) {
  AccessTracker tracker(trace, options);
  std::vector<CallAccess> all(trace.calls.size());
  std::generate(all.begin(), all.end(), [&tracker] { return tracker.next(); });
  return all;
}

/// Returns the number of distinct bytes that the trace touches.
inline std::int64_t distinct_bytes(const Trace& trace) {
  std::set<std::uintptr_t> bytes;
  for (const Call& call : trace.calls) {
    for (const Operand& operand : operands(call)) {
      for (const Region& part : operand.parts) {
        bytes.merge(call.address(operand.argument) != 0 ? bytes_of(part) : std::set<std::uintptr_t>());
      }
    }
  }
  return static_cast<std::int64_t>(bytes.size());
}

/// The access distances of Peise and Bientinesi 2014, section 3, literally: a scan back over the kernels that collects memory byte by byte.
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
              event.back().bytes.merge(bytes_of(whole_lines(part, operand.parts.size() == 1 ? options.line_bytes : 1)));
            }
          }
          all_.insert(event.back().bytes.begin(), event.back().bytes.end());
        }
        events_.push_back(event);
      }
    }
  }

  /// Returns the access of every operand of a call.
  CallAccess access(std::size_t call) const {
    const std::size_t event = first_ + call;
    std::vector<std::int64_t> collected(event);  // bytes touched since and including event i
    std::set<std::uintptr_t> collection;
    for (std::size_t i = event; i-- > 0;) {
      for (const Touched& touched : events_[i]) {
        collection.insert(touched.bytes.begin(), touched.bytes.end());
      }
      collected[i] = static_cast<std::int64_t>(collection.size());
    }
    CallAccess all;
    for (const Touched& operand : events_[event]) {
      all.push_back(access(event, operand.bytes, collected));
    }
    return all;
  }

 private:
  struct Touched {
    std::set<std::uintptr_t> bytes;
    bool written;
  };
  using Event = std::vector<Touched>;

  OperandAccess access(std::size_t event, const std::set<std::uintptr_t>& bytes, const std::vector<std::int64_t>& collected) const {
    const auto& thresholds = options_.thresholds_bytes;
    const std::int64_t all = collected.empty() ? 0 : collected[0];
    const std::int64_t never = options_.start == Start::artificial ? all + static_cast<std::int64_t>(all_.size()) : -1;
    OperandAccess access;
    std::int64_t written = 0;
    for (const std::uintptr_t byte : bytes) {
      const auto [last, wrote] = last_access(event, byte);
      const std::int64_t distance = last < event ? collected[last] : never;
      std::size_t bucket = 0;
      while (bucket < thresholds.size() && (distance < 0 || distance > thresholds[bucket])) {
        ++bucket;
      }
      ++access.bytes[bucket];
      written += wrote ? 1 : 0;
    }
    access.dirty = 2 * written > static_cast<std::int64_t>(bytes.size());
    access.distance_bytes = bytes.empty() ? 0 : scan(event, bytes, collected, never);
    return access;
  }

  /// Performs the paper's scan with its three ways to end.
  std::int64_t scan(std::size_t event, const std::set<std::uintptr_t>& bytes, const std::vector<std::int64_t>& collected,
                    std::int64_t never) const {
    while (event-- > 0) {
      for (const Touched& touched : events_[event]) {
        if (std::any_of(bytes.begin(), bytes.end(), [&](std::uintptr_t byte) { return touched.bytes.count(byte) > 0; })) {
          return collected[event];
        }
      }
      if (options_.limit_bytes > 0 && collected[event] > options_.limit_bytes) {
        return collected[event];
      }
    }
    return never;
  }

  /// Returns the last event before `event` that accessed the byte (`event` itself if none), and whether that event wrote it.
  std::pair<std::size_t, bool> last_access(std::size_t event, std::uintptr_t byte) const {
    for (std::size_t i = event; i-- > 0;) {
      bool found = false, wrote = false;
      for (const Touched& touched : events_[i]) {
        const bool here = touched.bytes.count(byte) > 0;
        found = found || here;
        wrote = wrote || (here && touched.written);
      }
      if (found) {
        return {i, wrote};
      }
    }
    return {event, false};
  }

  AccessOptions options_;
  std::vector<Event> events_;
  std::size_t first_ = 0;  // event of the trace's first call
  std::set<std::uintptr_t> all_;
};

}  // namespace flopcast::cache
