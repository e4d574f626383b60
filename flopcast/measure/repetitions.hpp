#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/measure/experiment.hpp"
#include "flopcast/measure/session_options.hpp"

namespace flopcast::measure {

/// Returns how often a call that takes `time` is repeated while nothing disturbs and no interval ends the repetitions earlier.
std::int64_t repetitions(const StopRule& rule, Seconds time);

/// The repetitions of one experiment, and the decision of the stop rule whether more are needed.
class Repetitions {
 public:
  /// Counts repetitions of `calls` timed calls, each executed `batch` times per repetition.
  Repetitions(const StopRule& rule, std::size_t calls, std::int64_t batch);

  /// Adds one repetition: `seconds[i]` is the time of call i, `at` the start, and `spent` the cost with its setup. Disturbed repetitions
  /// are kept, but don't count.
  void add(std::span<const Seconds> seconds, Seconds at, Seconds spent, bool disturbed);

  /// Discards repetition `repetition` (from 0), which ran while the machine was slow. A larger `slowness` means a slower machine.
  void discard(std::int64_t repetition, double slowness);

  [[nodiscard]] bool wants_more() const;
  [[nodiscard]] std::int64_t made() const noexcept { return made_; }
  /// Returns the expected total number of repetitions, as far as known now.
  [[nodiscard]] std::int64_t expected() const;

  /// Returns the repetitions, with warnings. If too few count, the least disturbed of the others count after all: first those of the least
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
  std::vector<Seconds> counted_;  ///< times of the undisturbed repetitions
  std::vector<double> slowness_;  ///< slowness of each repetition: 0, the argument of discard(), or infinite if preempted
  Timings timings_;
};

}  // namespace flopcast::measure
