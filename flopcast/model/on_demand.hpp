#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/placement.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/model/estimate.hpp"
#include "flopcast/model/gaussian_process.hpp"

/// Models on demand. Each kernel has a Gaussian process over (log sizes, cache levels of the operands) for the logarithm of measured time
/// over a roofline baseline. Few samples feed it, taken where the traces to be predicted spend their time. See docs/methods.md, "Models on
/// demand".
namespace flopcast::model {

/// The cost of a call by the machine's roofs alone. Measured times are related to this baseline.
struct Baseline {
  double flops_rate = 1e11;              ///< double-precision flops per second; single precision is twice as fast
  std::vector<double> bandwidths;        ///< bytes per second from L1 outwards, memory last
  std::vector<std::int64_t> capacities;  ///< bytes, from L1 outwards
  Seconds overhead = 1e-7;               ///< overhead of any call

  static Baseline of(const Environment& environment);
};

/// Returns whether the call has nothing to write and nothing to return; BLAS and LAPACK then return almost immediately. A gemm with k = 0
/// is excluded, because kernels for small products in OpenBLAS read and write all of C.
bool returns_at_once(const Call& call);

/// Returns the cache level of an access distance as a continuous number: 0 well inside L1, capacities.size() well outside in memory, and
/// values in between around a capacity.
double continuous_level(const OperandState& state, std::span<const std::int64_t> capacities);

/// Returns overhead + flops / rate + sum over the operands of bytes / bandwidth of the level that holds the operand.
Seconds baseline_time(const Call& call, const Placement& placement, const Baseline& baseline);

/// One kernel's model and its observations.
class KernelProcess {
 public:
  /// Adds the times of one call. Requires the same `threads` and flags for all calls. The coordinates are the logarithm of every size, the
  /// weighted level of every operand, and the work.
  void add(const Call& call, const Placement& placement, std::span<const Seconds> times, const Baseline& baseline);
  /// Conditions the process on all observations. Learns hyperparameters if there are enough observations.
  void fit();

  [[nodiscard]] bool fitted() const noexcept { return process_.has_value(); }
  [[nodiscard]] Estimate estimate(const Call& call, const Placement& placement, const Baseline& baseline) const;
  [[nodiscard]] Seconds seconds(const Call& call, const Placement& placement, const Baseline& baseline) const;
  [[nodiscard]] std::size_t observations() const noexcept { return observations_.size(); }
  [[nodiscard]] const Process& process() const { return *process_; }

  /// Returns whether `at`, a result of place(), lies outside of the sampled domain by its sizes.
  [[nodiscard]] bool extrapolates(std::span<const double> at, std::size_t size_count) const;

  /// Returns the coordinates of a call, and the groups of coordinates that share a length scale, before the kernel has observations.
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
  };
  /// Observations as a regression problem.
  struct Data {
    Process::Points points;
    Eigen::VectorXd log_flops, values, noise;
  };
  [[nodiscard]] Data data(Eigen::Index step) const;
  [[nodiscard]] std::vector<double> beside_cliffs(std::vector<double> at, double log_flops) const;
  void learn(const ProcessParameters& start);
  [[nodiscard]] std::optional<double> likeliest_cliff(const Data& data, const ProcessParameters& known, std::vector<double> cliffs) const;

  const Routine* routine_ = nullptr;
  std::vector<Observation> observations_;
  std::vector<double> lowest_, highest_;  ///< range of every coordinate
  std::optional<Process> process_;
  std::vector<double> cliffs_;  ///< logarithms of the flops at the cliffs
  int threads_ = 1;
  ProcessParameters parameters_;
  Eigen::Index learnt_from_ = 0;  ///< number of observations when hyperparameters were last learnt
};

/// A trace's predicted time, with the data for comparing it with another trace's.
struct Total {
  struct Part {
    Process::WeightedSum sum;
    Seconds seconds = 0;
    std::int64_t calls = 0;
  };
  Seconds seconds = 0;
  Seconds unmodelled = 0;    ///< the part that no model covers, by its baseline
  Seconds extrapolated = 0;  ///< the part outside of the sampled domain
  std::map<ModelKey, Part> parts;
};

/// Similar calls of one kernel: their place in the kernel's process, their time by the baseline, and the part of this time that lies
/// outside of the sampled domain.
struct Location {
  std::vector<double> at;
  Seconds base = 0, extrapolated = 0;
};
/// Merges the most similar locations until a few hundred are left; few locations stay unchanged.
std::vector<Location> merge(std::vector<Location> all);

/// The models of all kernels in one environment.
class OnDemandModels {
 public:
  explicit OnDemandModels(const Environment& environment);

  /// Adds the drift-normalised times of one measured call.
  void add(const Call& call, const Placement& placement, std::span<const Seconds> times);
  /// Adds a stored sample. Returns false, and adds nothing, if the sample has no placement, no times or another cache state than "placed".
  bool add(const Sample& sample, const Call& call);
  void fit();

  [[nodiscard]] ModelKey key(const Call& call) const;
  /// Returns the estimate of a call. A kernel without samples gets its baseline with relative_error 1, marked as extrapolated.
  [[nodiscard]] Estimate estimate(const Call& call, const Placement& placement) const;
  /// Returns the estimate's seconds alone, which cost far less.
  [[nodiscard]] Seconds seconds(const Call& call, const Placement& placement) const;
  /// Returns the total time of the calls. If a kernel has very many calls, similar calls count as one place.
  [[nodiscard]] Total total(std::span<const Call> calls, std::span<const Placement> placements) const;
  /// Returns the posterior covariance of two totals in seconds squared; of a total with itself, its variance.
  [[nodiscard]] double covariance(const Total& a, const Total& b) const;

  [[nodiscard]] const Baseline& baseline() const noexcept { return baseline_; }
  [[nodiscard]] const std::map<ModelKey, KernelProcess>& kernels() const noexcept { return kernels_; }
  [[nodiscard]] const std::string& library() const noexcept { return library_; }

 private:
  /// Adds the times of calls of one modelled kernel.
  void add(Total& total, const ModelKey& kernel, const std::vector<Location>& locations) const;

  Baseline baseline_;
  std::string library_;
  std::map<ModelKey, KernelProcess> kernels_;
};

}  // namespace flopcast::model
