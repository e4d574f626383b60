#pragma once

#include <cstdint>
#include <unordered_set>

#include "flopcast/core/mpi_values.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::preload::mpi {

/// Time of one process in all executions of a region. A plain record, since it is gathered.
struct RegionLoad {
  std::uint32_t region = 0;      ///< number of the region
  Seconds time = 0, useful = 0;  ///< computation, communication and waiting; computation alone
};

/// The outermost open region of the program, and the regions that are never skipped, because they communicate.
class OpenRegion {
 public:
  /// Returns whether a region is open.
  [[nodiscard]] bool is_open() const noexcept { return depth_ > 0; }
  /// Enters a region that belongs to the outer one, or isn't measured.
  void nest() noexcept { ++depth_; }
  /// Enters an outermost region, which is executed because of `cause`.
  void open(std::uint32_t kernel, selective::Cause cause) noexcept {
    depth_ = 1;
    kernel_ = kernel;
    cause_ = cause;
    seconds_ = 0;
    communicates_ = false;
  }
  /// Leaves a region. Returns whether that was the outermost one.
  bool leave() noexcept { return depth_ > 0 && --depth_ == 0; }
  /// Drops the open regions.
  void drop() noexcept { depth_ = 0; }

  /// Adds the program's computation.
  void compute(Seconds seconds) noexcept { seconds_ += seconds; }
  void note_communication() noexcept { communicates_ = true; }
  [[nodiscard]] std::uint32_t kernel() const noexcept { return kernel_; }
  [[nodiscard]] selective::Cause cause() const noexcept { return cause_; }
  /// Returns the computation since open().
  [[nodiscard]] Seconds seconds() const noexcept { return seconds_; }

  /// Notes what is known of region `number` after it was left.
  void remember(std::uint32_t number) {
    if (communicates_) {
      communicating_.insert(number);
    }
  }
  [[nodiscard]] bool is_known_to_communicate(std::uint32_t number) const { return communicating_.count(number) != 0; }

 private:
  int depth_ = 0;
  std::uint32_t kernel_ = 0;
  Seconds seconds_ = 0;
  bool communicates_ = false;
  selective::Cause cause_ = selective::Cause::always;
  std::unordered_set<std::uint32_t> communicating_;  ///< numbers of regions
};

}  // namespace flopcast::preload::mpi
