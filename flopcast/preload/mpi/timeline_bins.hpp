#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "flopcast/protocol/mpi_profile.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::preload::mpi {

/// Activities of a process; `on_path` comes beside another one while the critical path is in the process.
enum class Activity : std::uint8_t { computation, own_code, communication, waiting, on_path, count };

/// The parts of equal bins of time that a process's activities take, from the start of the run. Memory is fixed: where the run gets longer
/// than all bins, each becomes twice as wide. A plain record, since it is gathered.
class TimelineBins {
 public:
  static constexpr std::size_t max_bins = 240;

  /// Adds an activity between two times since the start, not negative.
  void add(Activity activity, Seconds begin, Seconds end) noexcept {
    if (!(end > begin) || !(begin >= 0)) {
      return;
    }
    while (end > width_ * max_bins) {
      widen();
    }
    auto& bins = seconds_[static_cast<std::size_t>(activity)];
    const std::size_t last = std::min(static_cast<std::size_t>(end / width_), max_bins - 1);
    for (auto bin = static_cast<std::size_t>(begin / width_); bin <= last; ++bin) {
      const Seconds from = std::max(begin, static_cast<Seconds>(bin) * width_), to = std::min(end, static_cast<Seconds>(bin + 1) * width_);
      bins[bin] += static_cast<float>(std::max(to - from, 0.0));
    }
  }
  [[nodiscard]] Seconds width() const noexcept { return width_; }
  /// Makes the bins at least `width` wide, which is a width of other bins.
  void widen_to(Seconds width) noexcept {
    while (width_ < width) {
      widen();
    }
  }
  /// Returns the parts of the first `bins` bins as those of process `rank`.
  [[nodiscard]] MpiProcessTimeline timeline(int rank, std::size_t bins) const {
    const auto parts = [&](Activity activity) {
      constexpr double precision = 1000;
      std::vector<double> all;
      for (std::size_t bin = 0; bin < bins; ++bin) {
        all.push_back(std::round(precision * part(activity, bin)) / precision);
      }
      return all;
    };
    return {rank,
            parts(Activity::computation),
            parts(Activity::own_code),
            parts(Activity::communication),
            parts(Activity::waiting),
            parts(Activity::on_path)};
  }
  /// Returns the part of a bin that an activity takes, 0 to 1.
  [[nodiscard]] double part(Activity activity, std::size_t bin) const noexcept {
    return std::min(static_cast<double>(seconds_[static_cast<std::size_t>(activity)][bin]) / width_, 1.0);
  }

 private:
  void widen() noexcept {
    for (auto& bins : seconds_) {
      for (std::size_t i = 0; i < max_bins; ++i) {
        bins[i] = 2 * i < max_bins ? bins[2 * i] + bins[2 * i + 1] : 0;
      }
    }
    width_ *= 2;
  }

  Seconds width_ = 1e-5;
  std::array<std::array<float, max_bins>, static_cast<std::size_t>(Activity::count)> seconds_{};
};

}  // namespace flopcast::preload::mpi
