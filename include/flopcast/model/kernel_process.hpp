#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "flopcast/core/call.hpp"
#include "flopcast/core/kernel_model.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/model/baseline.hpp"
#include "flopcast/model/gaussian_process.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::model {

/// Returns how strongly columns that lie `stride_bytes` apart compete for the same sets of caches, from 0 to 8. The result is 0 unless the
/// stride is a multiple of 4096 bytes, the size of one way of common L1 caches. It is 1 for odd multiples, and grows by 1 with every factor
/// of two.
double aliasing_degree(std::int64_t stride_bytes);

/// One kernel's model and its observations, which may come from many sessions in different states of the machine.
class KernelProcess {
 public:
  /// Adds the times of one call, which were measured in `state`. Requires the same `threads` and flags for all calls. The coordinates are the
  /// logarithm of every size, the weighted level of every operand, the aliasing of every leading dimension and increment, the work, and the
  /// state. An observation of a noisy machine counts only at places that have none of a quiet one. One that took several times as long as all
  /// of its neighbours was disturbed, and says nothing.
  void add(const Call& call, const Placement& placement, std::span<const Seconds> times, const Baseline& baseline,
           const MachineState& state = {});
  /// Sets the state for which times are predicted, from the next fit() on.
  void predict_for(const MachineState& state) { wanted_ = state; }
  /// Conditions the process on all observations. Learns hyperparameters if there are enough observations.
  void fit();

  [[nodiscard]] bool fitted() const noexcept { return process_.has_value(); }
  [[nodiscard]] Estimate estimate(const Call& call, const Placement& placement, const Baseline& baseline) const;
  [[nodiscard]] Seconds seconds(const Call& call, const Placement& placement, const Baseline& baseline) const;
  [[nodiscard]] std::size_t observations() const noexcept { return observations_.size(); }
  [[nodiscard]] const GaussianProcess& process() const { return *process_; }

  /// Returns whether `at`, a result of place(), lies outside of the sampled domain by its sizes, or no observation has its aliasing.
  [[nodiscard]] bool extrapolates(std::span<const double> at, std::size_t size_count) const;

  /// Returns the coordinates of a call, and the groups of coordinates that share a length scale, before the kernel has observations. The last
  /// two are the state, which isn't known then.
  static std::vector<double> coordinates(const Call& call, const Placement& placement, const Baseline& baseline);
  static std::vector<int> coordinate_groups(const Routine& routine);
  /// Returns the coordinates of every observation in the fitted process.
  [[nodiscard]] std::vector<std::vector<double>> observed_places() const;
  /// Returns the coordinates of a call in the fitted process.
  [[nodiscard]] std::vector<double> place(const Call& call, const Placement& placement, const Baseline& baseline) const;
  /// Returns the ascending numbers of flops at which the kernel changes its behaviour (cliffs), if any. At a cliff a library changes from
  /// one algorithm to another, or from one thread to several.
  [[nodiscard]] std::vector<double> cliffs() const;
  /// Returns the hyperparameters that are assumed before anything was measured.
  static ProcessParameters prior(const Routine& routine);

 private:
  struct Observation {
    std::vector<double> at;
    double log_flops = 0;
    double log_ratio = 0;
    double variance = 0;
    double log_reference = 0;  ///< logarithm of the reference kernel's time in seconds; 0: not known
    bool quiet = true;
  };
  /// Observations as a regression problem.
  struct Data {
    GaussianProcess::Points points;
    Eigen::VectorXd log_flops, values, noise;
  };
  [[nodiscard]] Data data(Eigen::Index step) const;
  [[nodiscard]] std::vector<bool> disturbed() const;
  void keep(Observation observation);
  [[nodiscard]] std::vector<double> beside_cliffs(std::vector<double> at, double log_flops) const;
  void learn(const ProcessParameters& start);
  [[nodiscard]] std::optional<double> likeliest_cliff(const Data& data, const ProcessParameters& known, std::vector<double> cliffs) const;

  const Routine* routine_ = nullptr;
  std::vector<Observation> observations_;
  std::vector<double> lowest_, highest_;   ///< range of every coordinate
  std::vector<std::set<double>> degrees_;  ///< observed degrees of aliasing of every coordinate that has them
  std::optional<GaussianProcess> process_;
  std::vector<double> cliffs_;  ///< logarithms of the flops at the cliffs
  int threads_ = 1;
  MachineState wanted_;
  ProcessParameters parameters_;
  Eigen::Index learnt_from_ = 0;  ///< number of observations when hyperparameters were last learnt
};

}  // namespace flopcast::model
