#include "flopcast/cache/access_distance.hpp"

#include <algorithm>

namespace flopcast::cache {
namespace {

std::vector<Plane> planes(const std::vector<Space>& spaces) {
  std::vector<Plane> all;
  for (const Space& space : spaces) {
    all.emplace_back(space.columns(), space.height);
  }
  return all;
}

/// Times that are needed: one per call, twice if the trace comes first, one per allocation if those are written first.
std::size_t times(const Trace& trace, Start start) {
  return trace.calls.size() * (start == Start::repeated ? 2 : 1) + (start == Start::filled ? trace.allocations.size() : 0);
}

}  // namespace

AccessTracker::AccessTracker(const Trace& trace, const AccessOptions& options)
    : trace_(trace), options_(options), spaces_(spaces(trace)), planes_(planes(spaces_)), bytes_(times(trace, options.start)) {
  switch (options.start) {
    case Start::cold: break;
    case Start::artificial: artificial_bytes_ = distinct_bytes(trace); break;
    case Start::filled: write_allocations(); break;
    case Start::repeated:
      for (const Call& call : trace.calls) {
        set_shapes(call);
        touch();
      }
  }
}

const CallAccess& AccessTracker::next() {
  set_shapes(trace_.calls[position_++]);
  access_.clear();
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    access_.push_back(observe(i));
  }
  touch();
  return access_;
}

/// Fills shapes_: those of operand i are first_shape_[i] ... first_shape_[i+1]-1.
void AccessTracker::set_shapes(const Call& call) {
  operands_ = operands(call);
  shapes_.clear();
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    first_shape_[i] = shapes_.size();
    for (const Region& part : operands_[i].parts) {
      if (call.address(operands_[i].argument) == 0 || part.empty()) {
        continue;
      }
      const std::size_t plane = space_of(spaces_, part.begin());
      for_each_trapezoid(part, spaces_[plane], [&](const Trapezoid& trapezoid) { shapes_.push_back({plane, trapezoid}); });
    }
  }
  first_shape_[operands_.size()] = shapes_.size();
}

OperandAccess AccessTracker::observe(std::size_t operand) {
  OperandAccess access;
  std::int64_t newest = -1;
  std::int64_t all = 0, written = 0;
  std::int64_t bucket_time = -2;
  std::size_t bucket = 0;
  for (std::size_t s = first_shape_[operand]; s < first_shape_[operand + 1]; ++s) {
    planes_[shapes_[s].plane].observe(shapes_[s].trapezoid, [&](Plane::Stamp stamp, std::int64_t bytes) {
      const std::int64_t time = stamp == Plane::never ? -1 : stamp / 2;
      if (time != bucket_time) {
        const std::int64_t distance = distance_of(time);
        const auto& thresholds = options_.thresholds_bytes;
        bucket = distance < 0 ? thresholds.size()
                              : static_cast<std::size_t>(std::lower_bound(thresholds.begin(), thresholds.end(), distance) - thresholds.begin());
        bucket_time = time;
      }
      access.bytes[bucket] += bytes;
      all += bytes;
      written += time >= 0 && stamp % 2 == 1 ? bytes : 0;
      newest = std::max(newest, time);
    });
  }
  if (all > 0) {
    access.distance_bytes = distance_of(newest);
    if (options_.limit_bytes > 0 && (access.distance_bytes < 0 || access.distance_bytes > options_.limit_bytes)) {
      const std::int64_t stopped = bytes_.first_beyond(options_.limit_bytes);
      access.distance_bytes = stopped > options_.limit_bytes ? stopped : access.distance_bytes;
    }
  }
  access.dirty = 2 * written > all;
  return access;
}

/// Of what was last accessed at `time`, or never if it is negative.
std::int64_t AccessTracker::distance_of(std::int64_t time) const noexcept {
  if (time >= 0) {
    return bytes_.since(time);
  }
  return options_.start == Start::artificial ? bytes_.total() + artificial_bytes_ : -1;
}

void AccessTracker::touch() {
  for (const bool written : {false, true}) {  // what a call reads and writes is written
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if ((operands_[i].access != Access::read) == written) {
        for (std::size_t s = first_shape_[i]; s < first_shape_[i + 1]; ++s) {
          touch_shape(shapes_[s], written);
        }
      }
    }
  }
  ++time_;
}

void AccessTracker::touch_shape(const Shape& shape, bool written) {
  std::int64_t fresh = 0;         // bytes not yet counted at this time
  std::int64_t time = time_, moved = 0;  // bytes to be taken from `time`
  const auto move = [&] {
    if (moved > 0 && time >= 0 && time != time_) {
      bytes_.add(time, -moved);
    }
    moved = 0;
  };
  planes_[shape.plane].stamp(shape.trapezoid, static_cast<Plane::Stamp>(2 * time_ + (written ? 1 : 0)), [&](Plane::Stamp stamp, std::int64_t bytes) {
    const std::int64_t before = stamp == Plane::never ? -1 : stamp / 2;
    if (before != time) {
      move();
      time = before;
    }
    moved += bytes;
    fresh += before != time_ ? bytes : 0;
  });
  move();
  if (fresh > 0) {
    bytes_.add(time_, fresh);
  }
}

void AccessTracker::write_allocations() {
  for (const Allocation& allocation : trace_.allocations) {
    if (allocation.bytes > 0) {
      const std::size_t plane = space_of(spaces_, allocation.address);
      for_each_trapezoid({allocation.address, allocation.bytes, 1, allocation.bytes, 0}, spaces_[plane],
                         [&](const Trapezoid& trapezoid) { touch_shape({plane, trapezoid}, true); });
    }
    ++time_;
  }
}

std::vector<CallAccess> access_distances(const Trace& trace, const AccessOptions& options) {
  AccessTracker tracker(trace, options);
  std::vector<CallAccess> all(trace.calls.size());
  for (CallAccess& access : all) {
    access = tracker.next();
  }
  return all;
}

std::int64_t distinct_bytes(const Trace& trace) {
  const std::vector<Space> memory = spaces(trace);
  std::vector<Plane> touched = planes(memory);
  std::int64_t sum = 0;
  for (const Call& call : trace.calls) {
    for (const Operand& operand : operands(call)) {
      for (const Region& part : operand.parts) {
        if (call.address(operand.argument) == 0 || part.empty()) {
          continue;
        }
        const std::size_t plane = space_of(memory, part.begin());
        for_each_trapezoid(part, memory[plane], [&](const Trapezoid& trapezoid) {
          touched[plane].stamp(trapezoid, 0, [&](Plane::Stamp stamp, std::int64_t bytes) { sum += stamp == Plane::never ? bytes : 0; });
        });
      }
    }
  }
  return sum;
}

}  // namespace flopcast::cache
