#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "flopcast/cache/footprints.hpp"
#include "flopcast/cache/layout.hpp"
#include "flopcast/cache/plane.hpp"
#include "flopcast/core/call.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/support/inline_vector.hpp"

namespace flopcast::cache {

/// Numbers of bytes by the time of their last access, with sums over the most recent times in O(log times): a Fenwick tree (Fenwick 1994)
/// used for LRU stack distances (Olken 1981).
class BytesSince {
 public:
  /// Constructs empty counts for the times 0 ... times-1.
  explicit BytesSince(std::size_t times) : tree_(times + 1, 0) {}

  /// Adds `bytes`, which may be negative, to the bytes last touched at `time`.
  void add(std::int64_t time, std::int64_t bytes) noexcept;
  /// Returns the bytes last touched at `time` or later.
  [[nodiscard]] std::int64_t since(std::int64_t time) const noexcept;
  /// Returns the smallest since(time) that exceeds `limit`, which is the sum at which a backward scan stops; total() if none exceeds it.
  [[nodiscard]] std::int64_t first_beyond(std::int64_t limit) const noexcept;
  /// Returns the number of all bytes touched.
  [[nodiscard]] std::int64_t total() const noexcept { return total_; }

 private:
  std::vector<std::int64_t> tree_;  // tree_[i] sums the times i - lowest_bit(i) ... i - 1
  std::int64_t total_ = 0;
};

/// Maximum number of thresholds when bytes are counted by distance.
inline constexpr std::size_t max_thresholds = 4;

struct AccessOptions {
  Start start = Start::artificial;
  /// The scan ends as soon as it has collected more than this many bytes (Peise and Bientinesi 2014, section 3); 0: never. Distances up to
  /// this limit are exact; beyond it a distance is only known to be larger.
  std::int64_t limit_bytes = 0;
  /// Ascending distances that separate the classes in which the bytes of an operand are counted.
  InlineVector<std::int64_t, max_thresholds> thresholds_bytes;
  /// Size of a cache line. Runs that are shorter, such as the elements of a matrix row, count as the lines that they bring into the cache.
  /// With 1 every byte counts for itself, as in Peise and Bientinesi 2014.
  std::int64_t line_bytes = 1;
};

/// Entry i counts the bytes whose access distance is at most thresholds_bytes[i] and above the threshold before; the entry after the last
/// threshold counts all others.
using BytesByDistance = std::array<std::int64_t, max_thresholds + 1>;

/// The previous accesses to an operand of a call.
struct OperandAccess {
  /// Peise et al. (2015), section 3: distinct bytes of all operands of all calls since and including the last one that accessed a byte of the
  /// operand. 0 for an operand that touches nothing, -1 with Start::cold for one never accessed before.
  std::int64_t distance_bytes = 0;
  /// Counts of the operand's bytes by their own access distance. Parts of an operand that were last accessed at different times lie in
  /// different levels.
  BytesByDistance bytes{};
  /// True if the last access to more than half of the bytes was a write.
  bool dirty = false;
};
using CallAccess = InlineVector<OperandAccess, max_operands>;

/// Walks along a trace and computes the access distance of every operand of every call, in O(blocks + log calls) per operand. The distances
/// are exact: they count distinct bytes, each identified by its address. An operand at address 0 touches nothing. The trace must outlive
/// it.
class AccessTracker {
 public:
  AccessTracker(const Trace& trace, const AccessOptions& options);

  /// Returns the accesses of the next call of the trace, in the order of operands(call). The result is valid until the next call.
  const CallAccess& next();

 private:
  /// A part of an operand in its plane.
  struct PlacedTrapezoid {
    std::size_t plane = 0;
    Trapezoid trapezoid;
    std::uint8_t operand = 0;
    bool written = false;
  };
  /// Bytes of an operand with the stamp they had before the call.
  struct StampedBytes {
    Plane::Stamp stamp = Plane::never;
    std::int64_t bytes = 0;
    std::uint8_t operand = 0;
  };

  void set_shapes(std::size_t call);
  void add_shapes(const Region& region, std::uint8_t operand, bool written);
  [[nodiscard]] bool shapes_may_overlap() const noexcept;
  void stamp_shapes(std::vector<StampedBytes>& replaced);
  void count(const std::vector<StampedBytes>& replaced);
  void touch();
  void evaluate(const std::vector<StampedBytes>& pieces, std::size_t operands);
  [[nodiscard]] std::int64_t distance_of(std::int64_t time) const noexcept;
  [[nodiscard]] std::int64_t limited(std::int64_t distance) const noexcept;

  AccessOptions options_;
  Footprints footprints_;
  std::vector<Space> spaces_;
  std::vector<Plane> planes_;
  BytesSince bytes_;
  std::int64_t artificial_bytes_ = 0;
  std::size_t position_ = 0;  // index of the next call
  std::int64_t time_ = 0;     // time of the next access; a stamp is 2 * time, plus 1 after a write
  std::vector<PlacedTrapezoid> shapes_;
  std::vector<StampedBytes> observed_, replaced_;
  CallAccess access_;
};

}  // namespace flopcast::cache
