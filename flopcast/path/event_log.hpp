#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "flopcast/core/own_pages.hpp"
#include "flopcast/core/units.hpp"

namespace flopcast::path {

/// A point in the history of one process.
struct Place {
  std::int32_t rank = 0;
  std::uint32_t position = 0;  ///< events before it
  friend bool operator==(const Place&, const Place&) = default;
};

/// What one process did, as far as a walk back along the critical path needs it: which kernels it executed, and where its longest path went
/// on from another process's. Messages then carry a place instead of a list of kernels, and have the same few bytes however many kernels
/// there are.
class EventLog {
 public:
  /// Keeps at most `limit` events (8 bytes each); then the log is incomplete and walks end early.
  explicit EventLog(std::size_t limit = std::size_t{1} << 23U) : limit_(limit) {}

  /// Takes memory for all that it may keep, of which only what is used becomes real: a log that grows copies itself in the program's time, and
  /// what it frees becomes the program's, who may find a log's remains where a kernel that was left out should have written.
  void reserve() noexcept;

  /// `estimated`: the time is what was thought of it then, to be looked at again in the end.
  void add_kernel(std::uint32_t kernel, Seconds seconds, bool estimated = false) {
    add({kernel | (estimated ? estimated_bit : 0), std::bit_cast<std::uint32_t>(static_cast<float>(seconds))});
  }
  /// From here on the longest path to this process leads through `place`.
  void add_jump(const Place& place) { add({static_cast<std::uint32_t>(place.rank) | jump_bit, place.position}); }

  [[nodiscard]] std::uint32_t position() const noexcept { return static_cast<std::uint32_t>(events_.size()); }
  [[nodiscard]] bool complete() const noexcept { return complete_; }

  using Visitor = std::function<void(std::uint32_t kernel, Seconds seconds, bool estimated)>;
  /// Visits the kernels before `position` back to the last jump, latest first. Returns where that jump led from, nothing at the start of
  /// the program.
  [[nodiscard]] std::optional<Place> walk(std::uint32_t position, const Visitor& visit) const;

 private:
  struct Event {
    std::uint32_t what = 0;   ///< a kernel with or without estimated_bit, or jump_bit and a rank
    std::uint32_t value = 0;  ///< the bits of a float's seconds, or a position
  };
  static constexpr std::uint32_t jump_bit = 1U << 31U;
  static constexpr std::uint32_t estimated_bit = 1U << 30U;

  void add(const Event& event) {
    if (events_.size() < limit_) {
      events_.push_back(event);
    } else {
      complete_ = false;
    }
  }

  std::size_t limit_;
  OwnVector<Event> events_;
  bool complete_ = true;
};

}  // namespace flopcast::path
