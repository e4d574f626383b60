#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/measure/experiment.hpp"

namespace flopcast::measure {

/// The repetitions of one experiment as they come, and whether a stop rule wants more of them.
class Tally {
 public:
  /// For `calls` timed calls, each made `batch` times per repetition.
  Tally(const StopRule& rule, std::size_t calls, std::int64_t batch);

  /// One repetition: `seconds[i]` of call i, begun `at`, having cost `spent` with its setup; `disturbed` ones are kept but don't count.
  void add(std::span<const Seconds> seconds, Seconds at, Seconds spent, bool disturbed);

  /// Repetition i (from 0) turns out to have run while the machine was slow; the larger `slowness`, the slower.
  void discard(std::int64_t repetition, double slowness);

  [[nodiscard]] bool wants_more() const;
  [[nodiscard]] std::int64_t made() const noexcept { return made_; }
  /// Repetitions that will have been made in all, as far as can be said now.
  [[nodiscard]] std::int64_t expected() const;

  /// The end: the repetitions, with warnings. If too few are left, the least disturbed of the others count after all: those of the least
  /// slowness, then the fastest of the preempted ones.
  Timings take();

 private:
  [[nodiscard]] std::int64_t target() const;
  [[nodiscard]] std::int64_t most() const { return 2 * target(); }
  [[nodiscard]] bool is_precise_enough() const;
  void count_least_disturbed();

  StopRule rule_;
  std::int64_t batch_;
  std::int64_t made_ = 0;
  Seconds spent_ = 0;
  std::vector<Seconds> all_;      ///< time of each repetition, all calls together
  std::vector<Seconds> counted_;  ///< of those that weren't disturbed
  std::vector<double> slowness_;  ///< of each repetition: 0 or as discard() was told; infinite of preempted ones
  Timings timings_;
};

}  // namespace flopcast::measure
