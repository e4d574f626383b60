#pragma once

#include "flopcast/path/costs.hpp"
#include "flopcast/path/event_log.hpp"

namespace flopcast::path {

/// What a process tells another one about the longest path that leads to it. A plain record: it travels in messages.
struct PathMark {
  Costs along;    ///< of the path with the greatest time
  Costs longest;  ///< each metric along the path that maximises it
  Place place;    ///< where the path stands, for the walk back
};

/// The mark of the longer path, the one of the lower rank if they are equally long, with each metric's greatest value of both.
PathMark longer(const PathMark& a, const PathMark& b) noexcept;

/// The longest path through the program's graph up to the present of one process, kept while the program runs (longest-path algorithm:
/// paper 004, section II-B, and its reference 3, Hollingsworth 1996). Kernels along it are found by a walk back through the logs of all
/// processes.
class CriticalPath {
 public:
  explicit CriticalPath(std::int32_t rank = 0) : rank_(rank) {}

  /// Ahead of a program whose time counts: see EventLog::reserve().
  void reserve_log() noexcept { log_.reserve(); }

  /// The process did something on its own.
  void add(const Costs& costs) noexcept {
    along_ += costs;
    longest_ += costs;
    own_ += costs;
  }
  /// It computed, without a name for it: what add() comes to, for every call of the program.
  void compute(Seconds seconds) noexcept {
    for (Costs* costs : {&along_, &longest_, &own_}) {
      costs->time += seconds;
      costs->computation += seconds;
    }
  }
  /// It waited for somebody, whose path tells what for: on no path.
  void wait(Seconds seconds) noexcept;
  /// It executed a kernel, or left it out (whose costs are added apart).
  void add_kernel(std::uint32_t kernel, Seconds seconds, bool estimated = false) { log_.add_kernel(kernel, seconds, estimated); }
  /// It waited for somebody with the path `mark`: the longer one goes on. Whether that is the other's.
  bool follow(const PathMark& mark);

  [[nodiscard]] PathMark mark() const noexcept { return {along_, longest_, {rank_, log_.position()}}; }
  [[nodiscard]] Seconds length() const noexcept { return along_.time; }
  [[nodiscard]] const Costs& along() const noexcept { return along_; }
  [[nodiscard]] const Costs& longest() const noexcept { return longest_; }
  /// What this process did itself, on the path or not.
  [[nodiscard]] const Costs& own() const noexcept { return own_; }
  [[nodiscard]] const EventLog& log() const noexcept { return log_; }

 private:
  std::int32_t rank_;
  Costs along_, longest_, own_;
  EventLog log_;
};

}  // namespace flopcast::path
