#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "flopcast/support/page_allocator.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::path {

/// A point in the history of one process.
struct LogCursor {
  std::int32_t rank = 0;
  std::uint32_t position = 0;  ///< number of events before it
  friend bool operator==(const LogCursor&, const LogCursor&) = default;
};

/// Events of one process that a walk back along the critical path needs: the kernels that it executed, the computation between them, and the
/// places where its longest path continues from another process's. With the log, messages carry a place instead of a list of kernels, so that their size doesn't
/// grow with the number of kernels.
class EventLog {
 public:
  /// Keeps at most `limit` events (8 bytes each); beyond that the log is incomplete and walks end early.
  explicit EventLog(std::size_t limit = std::size_t{1} << 23U) : limit_(limit) {}

  /// Reserves memory for `limit` events; pages become real when they are used. A growing log would copy itself within the program's time.
  /// The memory that it frees would go to the program, which might find a log's remains where a skipped kernel should have written.
  void reserve() noexcept;

  /// Adds an executed kernel. `estimated`: the time is a preliminary estimate, which is replaced in the end.
  void add_kernel(std::uint32_t kernel, Seconds seconds, bool estimated = false) {
    add({kernel | (estimated ? estimated_bit : 0), std::bit_cast<std::uint32_t>(static_cast<float>(seconds))});
  }
  /// Adds a part of an execution of `kernel` that goes on, or of the program's own code (`own_code`).
  void add_part(std::uint32_t kernel, Seconds seconds) { add_kernel(kernel | part_bit, seconds); }
  /// Notes that from here on the longest path to this process leads through `place`; `time` is the wall time of this event, 0 or more.
  void add_jump(const LogCursor& place, Seconds time = 0) {
    add({static_cast<std::uint32_t>(place.rank) | jump_bit, place.position});
    add({jump_bit | estimated_bit, std::bit_cast<std::uint32_t>(static_cast<float>(time))});
  }

  [[nodiscard]] std::uint32_t position() const noexcept { return static_cast<std::uint32_t>(events_.size()); }
  [[nodiscard]] bool complete() const noexcept { return complete_; }

  /// Number of the program's own code in place of a kernel's.
  static constexpr std::uint32_t own_code = (1U << 29U) - 1;
  /// A kernel or a part of one on the path.
  struct Step {
    std::uint32_t kernel = 0;
    Seconds seconds = 0;
    bool estimated = false;
    bool is_part = false;  ///< the execution goes on after this part
  };
  /// The place from which a path came to this process, and the time of its coming.
  struct Jump {
    LogCursor place;
    Seconds time = 0;
  };
  using Visitor = std::function<void(const Step&)>;
  /// Visits the kernels before `position` back to the last jump, latest first. Returns that jump, or nothing at the start of the program.
  [[nodiscard]] std::optional<Jump> walk(std::uint32_t position, const Visitor& visit) const;

 private:
  struct PathEvent {
    std::uint32_t what = 0;  ///< a kernel (estimated_bit or part_bit may be set), jump_bit and a rank, or both of the upper bits for a time
    std::uint32_t value = 0;  ///< the bits of a float's seconds, or a position
  };
  static constexpr std::uint32_t jump_bit = 1U << 31U;
  static constexpr std::uint32_t estimated_bit = 1U << 30U;
  static constexpr std::uint32_t part_bit = 1U << 29U;

  void add(const PathEvent& event) {
    if (events_.size() < limit_) {
      events_.push_back(event);
    } else {
      complete_ = false;
    }
  }

  std::size_t limit_;
  PageVector<PathEvent> events_;
  bool complete_ = true;
};

}  // namespace flopcast::path
