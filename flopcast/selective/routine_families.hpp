#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/selective/kernel_times.hpp"
#include "flopcast/selective/routine_family.hpp"
#include "flopcast/selective/size_model.hpp"
#include "flopcast/selective/student_quantiles.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::selective {

/// The families of all routines that a program calls, and the scatter of kernels that take about as long.
class RoutineFamilies {
 public:
  /// Returns the family of a kernel with that key, which belongs to it from then on.
  RoutineFamily& of(std::uint32_t number, const KernelKey& key, double flops);
  RoutineFamily& of(std::uint32_t number, const KernelRecord& kernel) { return of(number, kernel.key, kernel.flops); }

  /// These call the functions of all families that have the same names.
  void begin_run();
  void begin_execution();
  void doubt_first_execution();

  /// Notes the deviation of a time from the mean of the kernel's earlier ones.
  void note_deviation(RoutineFamily& family, const KernelStatistics& before, Seconds seconds);
  /// Returns the deviations of kernels that take about as long, or less if there are too few of these: shorter ones scatter more.
  [[nodiscard]] const RelativeDeviations& scatter_of(Seconds seconds) const;
  /// Returns a kernel's time in the model of its family, which is fitted if that is due. Nothing if the model doesn't reach that far.
  /// `times` and `prior_counts`: see RoutineFamily::fit_if_due().
  [[nodiscard]] std::optional<SizePrediction> predict(RoutineFamily& family, std::uint32_t number, const KernelRecord& kernel,
                                                      StudentQuantiles& quantiles, std::span<const KernelTimes> times, bool prior_counts);

 private:
  /// A kernel's time in the model number `fit` of its family.
  struct Answer {
    std::optional<SizePrediction> prediction;
    std::int64_t fit = 0;
    bool has_family = false;
  };
  std::unordered_map<KernelKey, RoutineFamily, KernelKeyHash> families_;
  std::vector<Answer> answers_;  ///< index: kernel number
  std::array<RelativeDeviations, time_decades> scatter_{};
};

}  // namespace flopcast::selective
