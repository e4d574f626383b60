#pragma once

#include <utility>

#include "flopcast/core/mpi_values.hpp"
#include "flopcast/path/event_log.hpp"

namespace flopcast::path {

/// Description of the longest path that leads to a process, which tells it to another one. A plain record: it travels in messages.
struct PathMark {
  Costs along;      ///< costs of the path with the greatest time
  Costs longest;    ///< each metric along the path that maximises it
  LogCursor place;  ///< place where the path stands, for the walk back
};

/// Returns the mark of the longer path, with each metric's greatest value of both. Of equally long paths, the one of the lower rank counts.
PathMark longer(const PathMark& a, const PathMark& b) noexcept;

/// The longest path through the program's graph up to the present of one process, kept while the program runs (longest-path algorithm:
/// Hutter and Solomonik 2021, section II-B, and its reference 3, Hollingsworth 1996). Kernels along it are found by a walk back through the
/// logs of all processes.
class CriticalPath {
 public:
  explicit CriticalPath(std::int32_t rank = 0) : rank_(rank) {}

  /// Reserves the log's memory before a program whose time counts: see EventLog::reserve().
  void reserve_log() noexcept { log_.reserve(); }

  /// Adds work that the process did on its own.
  void add(const Costs& costs) noexcept {
    along_ += costs;
    longest_ += costs;
    own_ += costs;
  }
  /// Adds a computation without a name. Equivalent to add(), but faster, because every call of the program needs it. The log gets it when
  /// the computation is named.
  void compute(Seconds seconds) noexcept {
    for (Costs* costs : {&along_, &longest_, &own_}) {
      costs->time += seconds;
      costs->computation += seconds;
    }
    unnamed_ += seconds;
  }
  /// Puts the computation without a name, as far as it isn't in the log, into the log as a part of `kernel`. Needed before each mark.
  void name_part(std::uint32_t kernel = EventLog::own_code) {
    if (unnamed_ > 0) {
      log_.add_part(kernel, std::exchange(unnamed_, 0));
    }
  }
  /// Puts the same into the log as the end of an execution of `kernel`.
  void name_execution(std::uint32_t kernel) { log_.add_kernel(kernel, std::exchange(unnamed_, 0)); }
  /// Adds time that the process waited. It lies on no path: the path of the process that was waited for tells its cause.
  void wait(Seconds seconds) noexcept;
  /// Adds a kernel that was executed or skipped; its costs are added apart.
  void add_kernel(std::uint32_t kernel, Seconds seconds, bool estimated = false) { log_.add_kernel(kernel, seconds, estimated); }
  /// Continues with the longer of this path and `mark`, the path of a process that was waited for. Returns true if that is `mark`. `time`
  /// is the wall time since the path began.
  bool follow(const PathMark& mark, Seconds time = 0);

  [[nodiscard]] PathMark mark() const noexcept { return {along_, longest_, {rank_, log_.position()}}; }
  [[nodiscard]] Seconds length() const noexcept { return along_.time; }
  [[nodiscard]] const Costs& along() const noexcept { return along_; }
  [[nodiscard]] const Costs& longest() const noexcept { return longest_; }
  /// Costs of this process's own work, on the path or not.
  [[nodiscard]] const Costs& own() const noexcept { return own_; }
  [[nodiscard]] const EventLog& log() const noexcept { return log_; }

 private:
  std::int32_t rank_;
  Costs along_, longest_, own_;
  Seconds unnamed_ = 0;  ///< computation on this path that isn't in the log yet
  EventLog log_;
};

}  // namespace flopcast::path
