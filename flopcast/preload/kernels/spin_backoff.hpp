#pragma once

namespace flopcast::preload::mpi {

/// Limits how long a process polls memory for another process's data.
class SpinBackoff {
 public:
  /// `crowded`: there are more processes than cores, so that polling again is useless before another process has run on this core.
  explicit SpinBackoff(bool crowded) noexcept : crowded_(crowded) {}

  /// Call after each unsuccessful poll. Returns whether it is time to do other work. Yields the core now and then.
  bool is_over() noexcept;

 private:
  bool crowded_;
  unsigned int looks_ = 0;
};

}  // namespace flopcast::preload::mpi
