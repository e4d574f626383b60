#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <unordered_map>
#include <vector>

#include "flopcast/path/execution_policy.hpp"
#include "flopcast/path/kernel_table.hpp"
#include "flopcast/path/size_model.hpp"

namespace flopcast::path {

/// Where a process stands when it asks.
struct Standing {
  std::int64_t along = 0;  ///< how often the kernel lies on the path to here, as far as is known (policy online)
  Seconds path = 0;        ///< length of that path
};

/// One process's decisions which kernels it still wants executed.
class ExecutionDecisions {
 public:
  /// With `across_sizes` kernels of a size never executed are predicted from other sizes of their routine, where the error that this adds
  /// to the path fits the tolerance.
  ExecutionDecisions(Policy policy, const Precision& precision, bool across_sizes = false)
      : policy_(policy), precision_(precision), across_sizes_(across_sizes) {}

  /// For policy random: processes with different seeds decide differently.
  void seed(std::uint32_t seed) { chance_.seed(seed); }

  /// What was learnt of kernel `number` before this run. It counts once the kernel has been executed in this run, and its time is still the
  /// same; if `trusted`, before that: somebody else is going to look.
  void know(std::uint32_t number, const PriorKernel& prior, bool trusted = false);
  /// All processes know these times of kernel `number` (policy eager): nobody needs to execute it.
  void know_everywhere(std::uint32_t number, const KernelKey& key, const KernelStatistics& times);
  /// What was learnt in this run is from here on what was learnt before it.
  void begin_anew();

  /// Whether `kernel`, number `number`, is to be executed now.
  [[nodiscard]] bool wants_execution(std::uint32_t number, const Kernel& kernel, const Standing& standing = {});
  /// It was executed and took `seconds`.
  void executed(std::uint32_t number, const Kernel& kernel, Seconds seconds);
  /// What it takes if it isn't executed: the mean of this run and of what was known before; 0 if nothing is known.
  [[nodiscard]] Seconds estimate(std::uint32_t number, const Kernel& kernel);
  /// Half-width of the error that predictions across sizes have added to what this process did.
  [[nodiscard]] Seconds prediction_error() const;
  /// Times of a kernel that is predictable by what this process knows itself (policy eager tells the others); nothing if it isn't.
  [[nodiscard]] std::optional<KernelStatistics> predictable(std::uint32_t number);

 private:
  struct Decision {
    PriorKernel prior;
    KernelStatistics times;                                  ///< of this run, since the last drift
    std::int64_t met = 0;                                    ///< executed or not
    std::int64_t judged_count = -1, judged_occurrences = 0;  ///< when `predictable` was found
    std::int64_t skipped_in_a_row = 0;
    std::int64_t predicted = 0;  ///< times that it was left out by a model
    Seconds suspicious = 0;      ///< the last time, if it was far from what is known
    bool predictable = false, trusted = false, everywhere = false;
  };
  /// A routine's sizes.
  struct Family {
    std::vector<std::pair<std::uint32_t, SizeTerms>> members;
    std::optional<SizeModel> model;
    std::int64_t executed = 0;   ///< in this run
    std::int64_t fitted_at = 0;  ///< `executed` then
    std::int64_t predicted_in_a_row = 0;
    bool prior_drifted = false;
  };

  Decision& decision(std::uint32_t number);
  Family& family(std::uint32_t number, const KernelKey& key, double flops);
  [[nodiscard]] std::int64_t occurrences(const Decision& decision, const Standing& standing) const;
  static bool agrees(const KernelStatistics& known, Seconds seconds) noexcept;
  static KernelStatistics known(const Decision& decision);
  void learn(Decision& decision, Seconds seconds);
  std::optional<SizePrediction> predict(std::uint32_t number, const Kernel& kernel);
  bool may_be_predicted(std::uint32_t number, const Kernel& kernel, const Standing& standing);

  Policy policy_;
  Precision precision_;
  bool across_sizes_;
  std::minstd_rand chance_;
  double spent_squares_ = 0;  ///< of the errors that predictions have added to the path
  std::vector<Decision> decisions_;
  std::unordered_map<KernelKey, Family, KernelKeyHash> families_;
  std::vector<bool> in_family_;  ///< by number
};

}  // namespace flopcast::path
