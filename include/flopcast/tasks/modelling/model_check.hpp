#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/workbench/workbench.hpp"

/// Calibration of models on demand, for `flopcast model check`. A random part of the samples is measured again, in the segments in
/// which the samples were taken. Samples that no longer hold are replaced in the store.
namespace flopcast {

/// The kernels to check, and the cost of checking.
struct ModelCheckRequest {
  std::vector<std::string> routines = {};
  Duration time_budget = 10;
  std::int64_t repetitions = 5;
  std::uint64_t seed = 1;
};
template <>
Fields FieldTable<ModelCheckRequest>::fields();

/// A call that was predicted and then measured.
struct CheckedPoint {
  std::vector<std::int64_t> sizes;    ///< in the order of the interface
  std::vector<std::int64_t> strides;  ///< leading dimensions and increments, in the order of the interface
  bool held_out = false;              ///< the prediction didn't use the samples of this place, so that it interpolates
  Seconds seconds = 0;                ///< predicted wall time
  Interval interval;                  ///< 95 % of single runs
  std::vector<Seconds> wall_times;    ///< every run, disturbed ones included
  friend bool operator==(const CheckedPoint&, const CheckedPoint&) = default;
};

enum class CheckVerdict : std::uint8_t {
  holds,     ///< the samples hold, and runs lie within their intervals as often as promised
  narrow,    ///< the samples hold, but too many points lie outside of their intervals
  replaced,  ///< some or all samples no longer held and were replaced
  doubtful,  ///< samples seem to hold no longer, but the machine was noisy or the time was too short to make sure
  too_few,   ///< there are too few points for a verdict
};

/// Result of one kernel.
struct KernelCheck {
  ModelKey key;
  std::int64_t samples = 0;          ///< number in the store before the check
  std::int64_t retimed = 0;          ///< number of sampled points that were timed first, to learn the session's state
  std::vector<CheckedPoint> points;  ///< points that were predicted from the samples and the retimed points
  std::int64_t runs = 0;             ///< number of runs of all points
  std::int64_t within = 0;           ///< number of runs within the intervals
  double median_error = 0;           ///< median over the points of |predicted / measured - 1|, where measured is the median run
  double high_error = 0;             ///< 95th percentile of these errors
  double bias = 0;                   ///< median over the points of predicted / measured - 1; positive: predicted too slow
  std::int64_t suspects = 0;         ///< number of sampled points that seemed to hold no longer in their first runs
  std::int64_t retested = 0;         ///< number of suspects that were measured once more
  std::int64_t refuted = 0;          ///< number of these for which both series of runs say that the samples no longer hold
  std::int64_t removed = 0;          ///< number of samples that were removed from the store
  std::int64_t added = 0;            ///< number of samples that were stored in their place
  CheckVerdict verdict = CheckVerdict::too_few;
  friend bool operator==(const KernelCheck&, const KernelCheck&) = default;
};

struct ModelCheck {
  Environment environment;
  MachineState state;                ///< state of the machine during the check
  double busy_cores = 0;             ///< average number of cores that other programs kept busy
  bool noisy = false;                ///< the machine was noisy: nothing was replaced
  bool complete = true;              ///< false: the check was cancelled, and nothing was replaced
  Seconds seconds = 0;               ///< time of the check
  std::vector<KernelCheck> kernels;  ///< in the order of their keys; those that there was no time for have no points
  friend bool operator==(const ModelCheck&, const ModelCheck&) = default;
};

/// Checks the models on demand of the workbench's environment. Throws bad_input if the store has no samples of it or of the routines, or
/// none that can be measured again. If the context cancels, the result has what was measured so far.
ModelCheck check_models(const Workbench& bench, const ModelCheckRequest& request = {}, const RunContext& context = {});

/// The result as the document {"schema": "flopcast-model-check-2"} and back. The reader throws bad_input for damaged documents.
std::string to_json(const ModelCheck& check);
ModelCheck model_check_from_json(std::string_view text);

}  // namespace flopcast
