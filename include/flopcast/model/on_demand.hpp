#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/kernel_model.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/model/baseline.hpp"
#include "flopcast/model/gaussian_process.hpp"
#include "flopcast/model/kernel_process.hpp"

/// Models on demand. Each kernel has a Gaussian process over (log sizes, cache levels of the operands) for the logarithm of measured time
/// over a roofline baseline. Few samples feed it, taken where the traces to be predicted spend their time. See
/// docs/explanation/models.md.
namespace flopcast::model {

/// A trace's predicted time, with the data for comparing it with another trace's.
struct Total {
  struct ModelPart {
    GaussianProcess::WeightedSum sum;
    Seconds seconds = 0;
    std::int64_t calls = 0;
  };
  Seconds seconds = 0;
  Seconds unmodelled = 0;    ///< the part that no model covers, by its baseline
  Seconds extrapolated = 0;  ///< the part outside of the sampled domain
  std::map<ModelKey, ModelPart> parts;
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

  /// Adds the drift-normalised times of one measured call, and the state of the machine in which they hold.
  void add(const Call& call, const Placement& placement, std::span<const Seconds> times, const MachineState& state = {});
  /// Adds a stored sample. Returns false, and adds nothing, if the sample has no placement, no times or another cache state than "placed".
  bool add(const Sample& sample, const Call& call);
  /// Adds a session in which other kernels were timed, as far as it decides about the usual state.
  void note_session(const MachineState& state);
  /// Conditions the models on what was added. Times are predicted for wanted_state() from then on.
  void fit();
  /// Sets the state for which times are predicted, and conditions the models.
  void predict_for(const MachineState& state);
  /// Returns the state for which times are predicted. It is the one that was set, with the reference's time as measured in that session if
  /// known. If none was set, it is the usual state: that of the latest quiet session, or of the latest session if none was quiet.
  [[nodiscard]] MachineState wanted_state() const;
  /// Returns how far single runs lie from a prediction because of the machine's state. The deviation between moments is that of the session
  /// of interest, but not below the median of all sessions, because a short session sees few moments. The deviation between sessions comes
  /// from the median step of the reference kernel's time from one quiet session to the next within a day; 0 with fewer than three steps.
  [[nodiscard]] RunDeviation run_deviation() const;

  /// Returns the key of the process that knows the call. Leading dimensions of all classes share one, because aliasing is a coordinate of it.
  [[nodiscard]] ModelKey key(const Call& call) const;
  /// Returns the key under which samples of the call are stored.
  [[nodiscard]] ModelKey sample_key(const Call& call) const;
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
  MachineState wanted_;
  std::map<double, MachineState> sessions_;  ///< every session by its beginning, in its quietest part
};

}  // namespace flopcast::model
