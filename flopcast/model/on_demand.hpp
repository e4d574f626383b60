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
#include "flopcast/model/process.hpp"

/// Models on demand: per kernel a Gaussian process over (log sizes, where each operand lies) of the logarithm of measured time over a
/// roofline baseline, fed with few samples taken where the traces to be predicted have their time. docs/methods.md, "Models on demand".
namespace flopcast::model {

/// What a call costs by the machine's roofs alone; the shape that measured times are related to.
struct Baseline {
  double flops_rate = 1e11;              ///< double precision, per second; single precision counts twice
  std::vector<double> bandwidths;        ///< bytes per second from L1 outwards, memory last
  std::vector<std::int64_t> capacities;  ///< bytes, from L1 outwards
  Seconds overhead = 1e-7;               ///< of any call

  static Baseline of(const Environment& environment);
};

/// Whether the call has nothing to write and nothing to return: BLAS and LAPACK then come back in next to no time. A gemm with k = 0 may
/// not: OpenBLAS's kernels for small products read and write all of C.
bool returns_at_once(const Call& call);

/// Cache level of an access distance as a continuous number: 0 well inside L1, capacities.size() well out in memory, in between around a
/// capacity.
double continuous_level(const OperandState& state, std::span<const std::int64_t> capacities);

/// overhead + flops / rate + bytes of every operand / bandwidth of where it lies.
Seconds baseline_time(const Call& call, const Placement& placement, const Baseline& baseline);

/// One kernel's model and the observations under it.
class KernelProcess {
 public:
  /// `threads` and flags are the same for all; coordinates: log of every size, share-weighted level of every operand, work.
  void add(const Call& call, const Placement& placement, std::span<const Seconds> times, const Baseline& baseline);
  /// (Re)conditions the process on all observations; learns hyperparameters where there are enough.
  void fit();

  [[nodiscard]] bool fitted() const noexcept { return process_.has_value(); }
  [[nodiscard]] Estimate estimate(const Call& call, const Placement& placement, const Baseline& baseline) const;
  [[nodiscard]] Seconds seconds(const Call& call, const Placement& placement, const Baseline& baseline) const;
  [[nodiscard]] std::size_t observations() const noexcept { return observations_.size(); }
  [[nodiscard]] const Process& process() const { return *process_; }

  /// Whether `at` (as place gives it) lies outside of what was sampled, by its sizes.
  [[nodiscard]] bool extrapolates(std::span<const double> at, std::size_t size_count) const;

  /// Coordinates of a call and the groups that share a length scale, before anything is known of the kernel.
  static std::vector<double> coordinates(const Call& call, const Placement& placement, const Baseline& baseline);
  static std::vector<int> coordinate_groups(const Routine& routine);
  /// Coordinates of every observation in the fitted process.
  [[nodiscard]] std::vector<std::vector<double>> observed_places() const;
  /// Coordinates in the fitted process.
  [[nodiscard]] std::vector<double> place(const Call& call, const Placement& placement, const Baseline& baseline) const;
  /// Flops from which on the kernel behaves differently, ascending, if there are such cliffs: where libraries change from one algorithm to
  /// another, or from one thread to several.
  [[nodiscard]] std::vector<double> cliffs() const;
  /// What is assumed before anything was measured.
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
  std::vector<double> lowest_, highest_;  ///< of every coordinate
  std::optional<Process> process_;
  std::vector<double> cliffs_;  ///< logarithms of the flops
  int threads_ = 1;
  ProcessParameters parameters_;
  Eigen::Index learnt_from_ = 0;  ///< observations when hyperparameters were last learnt
};

/// A trace's predicted time with what is needed to compare it with another trace's.
struct Total {
  struct Part {
    Process::WeightedSum sum;
    Seconds seconds = 0;
    std::int64_t calls = 0;
  };
  Seconds seconds = 0;
  Seconds unmodelled = 0;    ///< the part that no model covers, by its baseline
  Seconds extrapolated = 0;  ///< the part outside of what was sampled
  std::map<ModelKey, Part> parts;
};

/// Calls of one kernel that are alike: where in its process, what they take by their baseline, and which part of that is outside of what
/// was sampled.
struct Location {
  std::vector<double> at;
  Seconds base = 0, extrapolated = 0;
};
/// The same with the most alike ones taken together until a few hundred are left; few stay as they are.
std::vector<Location> merge(std::vector<Location> all);

/// The models of all kernels of one environment.
class OnDemandModels {
 public:
  explicit OnDemandModels(const Environment& environment);

  /// Adds the drift-normalised times of one measured call.
  void add(const Call& call, const Placement& placement, std::span<const Seconds> times);
  /// Adds a stored sample; one without placement or of another cache state than "placed" is not taken, and false returned.
  bool add(const Sample& sample, const Call& call);
  void fit();

  [[nodiscard]] ModelKey key(const Call& call) const;
  /// A call whose kernel has no samples gets its baseline with relative_error 1, marked extrapolated.
  [[nodiscard]] Estimate estimate(const Call& call, const Placement& placement) const;
  /// The estimate's seconds alone, which cost far less.
  [[nodiscard]] Seconds seconds(const Call& call, const Placement& placement) const;
  /// Where a kernel has very many calls, those that are nearly alike count as one place.
  [[nodiscard]] Total total(std::span<const Call> calls, std::span<const Placement> placements) const;
  /// Posterior covariance of two totals in seconds squared; of a total with itself, its variance.
  [[nodiscard]] double covariance(const Total& a, const Total& b) const;

  [[nodiscard]] const Baseline& baseline() const noexcept { return baseline_; }
  [[nodiscard]] const std::map<ModelKey, KernelProcess>& kernels() const noexcept { return kernels_; }
  [[nodiscard]] const std::string& library() const noexcept { return library_; }

 private:
  /// Adds what calls of one modelled kernel take.
  void add(Total& total, const ModelKey& kernel, const std::vector<Location>& locations) const;

  Baseline baseline_;
  std::string library_;
  std::map<ModelKey, KernelProcess> kernels_;
};

}  // namespace flopcast::model
