#include "flopcast/cache/access_distance.hpp"

#include <algorithm>
#include <bit>

namespace flopcast::cache {
namespace {

std::vector<Plane> planes(const std::vector<Space>& spaces) {
  std::vector<Plane> all;
  for (const Space& space : spaces) {
    all.emplace_back(space.columns(), space.height);
  }
  return all;
}

/// Usual maximum number of pieces of an operand of a blocked algorithm.
constexpr std::size_t usual_pieces = 256;

/// Returns the number of access times: one per call, two if the trace is repeated, and one per allocation if allocations are filled first.
std::size_t times(const Trace& trace, Start start) {
  return trace.calls.size() * (start == Start::repeated ? 2 : 1) + (start == Start::filled ? trace.allocations.size() : 0);
}

std::int64_t time_of(Plane::Stamp stamp) { return stamp == Plane::never ? -1 : stamp / 2; }

/// Calls visit(space index, trapezoid) for every part of the region.
template <class Visit>
void for_each_part(const std::vector<Space>& spaces, const Region& region, Visit&& visit) {
  const std::size_t space = space_of(spaces, region.begin());
  for_each_trapezoid(region, spaces[space], [&](const Trapezoid& trapezoid) { visit(space, trapezoid); });
}

std::int64_t distinct_bytes(const Footprints& footprints, const std::vector<Space>& spaces) {
  std::vector<Plane> touched = planes(spaces);
  std::int64_t sum = 0;
  for (std::size_t call = 0; call < footprints.calls(); ++call) {
    footprints.visit(call, [&](const Footprints::TouchedPart& part) {
      for_each_part(spaces, part.region, [&](std::size_t plane, const Trapezoid& trapezoid) {
        touched[plane].stamp(trapezoid, 0, [&](Plane::Stamp stamp, std::int64_t bytes) { sum += stamp == Plane::never ? bytes : 0; });
      });
    });
  }
  return sum;
}

}  // namespace

void BytesSince::add(std::int64_t time, std::int64_t bytes) noexcept {
  total_ += bytes;
  for (auto i = static_cast<std::size_t>(time) + 1; i < tree_.size(); i += i & (~i + 1)) {
    tree_[i] += bytes;
  }
}

std::int64_t BytesSince::since(std::int64_t time) const noexcept {
  std::int64_t sum = total_;
  for (auto i = static_cast<std::size_t>(time); i > 0; i &= i - 1) {
    sum -= tree_[i];
  }
  return sum;
}

std::int64_t BytesSince::first_beyond(std::int64_t limit) const noexcept {
  std::int64_t sum = total_;
  std::size_t position = 0;
  for (std::size_t step = std::bit_floor(tree_.size()); step > 0; step /= 2) {
    const std::size_t next = position + step;
    if (next < tree_.size() && sum - tree_[next] > limit) {
      position = next;
      sum -= tree_[next];
    }
  }
  return sum;
}

AccessTracker::AccessTracker(const Trace& trace, const AccessOptions& options)
    : options_(options),
      footprints_(trace, options.line_bytes),
      spaces_(spaces(trace.allocations, footprints_)),
      planes_(planes(spaces_)),
      bytes_(times(trace, options.start)) {
  observed_.reserve(usual_pieces);
  replaced_.reserve(usual_pieces);
  switch (options.start) {
    case Start::cold: break;
    case Start::artificial: artificial_bytes_ = distinct_bytes(footprints_, spaces_); break;
    case Start::filled:
      for (const Allocation& allocation : trace.allocations) {
        shapes_.clear();
        if (allocation.bytes > 0) {
          add_shapes({allocation.address, allocation.bytes, 1, allocation.bytes, 0}, 0, true);
        }
        touch();
      }
      break;
    case Start::repeated:
      for (std::size_t call = 0; call < footprints_.calls(); ++call) {
        set_shapes(call);
        touch();
      }
  }
}

const CallAccess& AccessTracker::next() {
  const std::size_t call = position_++;
  set_shapes(call);
  if (!shapes_may_overlap()) {  // the stamps that are replaced are those from before the call
    stamp_shapes(observed_);
    evaluate(observed_, footprints_.operand_count(call));
    count(observed_);
    return access_;
  }
  observed_.clear();
  for (const PlacedTrapezoid& shape : shapes_) {
    planes_[shape.plane].observe(shape.trapezoid, [&](Plane::Stamp stamp, std::int64_t bytes) {
      observed_.push_back({stamp, bytes, shape.operand});
    });
  }
  evaluate(observed_, footprints_.operand_count(call));
  touch();
  return access_;
}

void AccessTracker::set_shapes(std::size_t call) {
  shapes_.clear();
  footprints_.visit(call, [&](const Footprints::TouchedPart& part) { add_shapes(part.region, part.operand, part.written); });
}

void AccessTracker::add_shapes(const Region& region, std::uint8_t operand, bool written) {
  for_each_part(spaces_, region, [&](std::size_t plane, const Trapezoid& trapezoid) {
    shapes_.push_back({plane, trapezoid, operand, written});
  });
}

bool AccessTracker::shapes_may_overlap() const noexcept {
  for (std::size_t i = 1; i < shapes_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (shapes_[i].plane == shapes_[j].plane && boxes_overlap(shapes_[i].trapezoid, shapes_[j].trapezoid)) {
        return true;
      }
    }
  }
  return false;
}

/// Stamps all shapes of a call. Bytes that one operand reads and another one writes count as written.
void AccessTracker::stamp_shapes(std::vector<StampedBytes>& replaced) {
  replaced.clear();
  for (const bool written : {false, true}) {
    for (const PlacedTrapezoid& shape : shapes_) {
      if (shape.written == written) {
        planes_[shape.plane].stamp(shape.trapezoid, static_cast<Plane::Stamp>(2 * time_ + (written ? 1 : 0)),
                                   [&](Plane::Stamp stamp, std::int64_t bytes) {
                                     replaced.push_back({stamp, bytes, shape.operand});
                                   });
      }
    }
  }
}

/// Moves the bytes of the pieces to the current time and advances the time.
void AccessTracker::count(const std::vector<StampedBytes>& replaced) {
  std::int64_t fresh = 0;
  for (std::size_t i = 0; i < replaced.size();) {
    const std::int64_t time = time_of(replaced[i].stamp);
    std::int64_t moved = 0;
    for (; i < replaced.size() && time_of(replaced[i].stamp) == time; ++i) {
      moved += replaced[i].bytes;
    }
    if (time != time_) {
      fresh += moved;
      if (time >= 0) {
        bytes_.add(time, -moved);
      }
    }
  }
  bytes_.add(time_++, fresh);
}

void AccessTracker::touch() {
  stamp_shapes(replaced_);
  count(replaced_);
}

/// Fills access_ from the pieces of all operands.
void AccessTracker::evaluate(const std::vector<StampedBytes>& pieces, std::size_t operands) {
  struct Sums {
    std::int64_t newest = -1, all = 0, written = 0;
  };
  std::array<Sums, max_operands> sums{};
  access_.clear();
  for (std::size_t i = 0; i < operands; ++i) {
    access_.push_back({});
  }
  const auto& thresholds = options_.thresholds_bytes;
  std::int64_t bucket_time = -2;
  std::size_t bucket = 0;
  for (const auto& [stamp, bytes, operand] : pieces) {
    const std::int64_t time = time_of(stamp);
    if (time != bucket_time) {
      const std::int64_t distance = distance_of(time);
      const auto* at = distance < 0 ? thresholds.end() : std::lower_bound(thresholds.begin(), thresholds.end(), distance);
      bucket = static_cast<std::size_t>(at - thresholds.begin());
      bucket_time = time;
    }
    access_[operand].bytes[bucket] += bytes;
    sums[operand].all += bytes;
    sums[operand].written += time >= 0 && stamp % 2 == 1 ? bytes : 0;
    sums[operand].newest = std::max(sums[operand].newest, time);
  }
  for (std::size_t i = 0; i < operands; ++i) {
    if (sums[i].all > 0) {
      access_[i].distance_bytes = limited(distance_of(sums[i].newest));
      access_[i].dirty = 2 * sums[i].written > sums[i].all;
    }
  }
}

/// Returns the access distance of bytes that were last accessed at `time`; a negative time stands for never.
std::int64_t AccessTracker::distance_of(std::int64_t time) const noexcept {
  if (time >= 0) {
    return bytes_.since(time);
  }
  return options_.start == Start::artificial ? bytes_.total() + artificial_bytes_ : -1;
}

/// Returns the bytes that the scan has collected when it ends beyond limit_bytes.
std::int64_t AccessTracker::limited(std::int64_t distance) const noexcept {
  if (options_.limit_bytes <= 0 || (distance >= 0 && distance <= options_.limit_bytes) || bytes_.total() <= options_.limit_bytes) {
    return distance;
  }
  return bytes_.first_beyond(options_.limit_bytes);
}

}  // namespace flopcast::cache
