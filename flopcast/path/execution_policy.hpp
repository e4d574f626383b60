#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/path/kernel_table.hpp"

namespace flopcast::path {

/// Who decides, and on what count, whether a kernel is still executed (paper 004, section IV-B).
enum class Policy : std::uint8_t {
  full,         ///< every kernel is executed
  conditional,  ///< each process by its own interval of the mean
  local,        ///< narrowed by how often the process itself has met the kernel
  a_priori,     ///< narrowed by the count along the critical path of an earlier full execution
};

/// All policies by the name that the command line gives them.
[[nodiscard]] std::string_view policy_name(Policy policy);
/// Throws bad_input with the names there are.
[[nodiscard]] Policy policy_named(std::string_view name);

/// When a kernel's time counts as known.
struct Precision {
  double tolerance = 0.1;    ///< relative half-width of the interval (epsilon of paper 004; its figures range over 1 to 1/1024)
  double confidence = 0.95;  ///< of the interval
  std::int64_t least_count =
      3;  ///< executions below which nothing is taken as known: with two the interval of Student's t is mostly chance
};

/// Half-width of the interval of the mean of `times` over the mean, for a kernel that occurs `occurrences` times on the path: the variance of its mean time there is
/// divided by that count (paper 004, section III-A). Infinite for fewer than two values.
double relative_half_width(const KernelStatistics& times, double confidence, std::int64_t occurrences);

/// Whether the time is known well enough. `occurrences` 1 for a policy that doesn't count.
bool is_predictable(const KernelStatistics& times, const Precision& precision, std::int64_t occurrences);

/// What an earlier run knows of a kernel. A plain record: it travels in messages.
struct PriorKernel {
  KernelKey key;
  KernelStatistics times;
  std::int64_t along = 0;  ///< count along its critical path
};

/// One process's decisions which kernels it still wants executed.
class ExecutionDecisions {
 public:
  ExecutionDecisions(Policy policy, const Precision& precision) : policy_(policy), precision_(precision) {}

  /// What was learnt of kernel `number` before; it counts once the kernel has been executed in this run and its time is still the same.
  void know(std::uint32_t number, const PriorKernel& prior);
  /// What this run has learnt of it so far is from here on what was learnt before.
  void remember(std::uint32_t number, const KernelStatistics& times) { decision(number).prior.times.merge(times); }
  /// Whether `kernel`, number `number`, is to be executed now.
  [[nodiscard]] bool wants_execution(std::uint32_t number, const Kernel& kernel);
  /// What it takes if it isn't executed: the mean of this run and of what was known before.
  [[nodiscard]] Seconds estimate(std::uint32_t number, const Kernel& kernel);

 private:
  struct Decision {
    PriorKernel prior;
    std::int64_t judged_count = -1, judged_occurrences = 0;  ///< when `predictable` was found
    std::int64_t skipped_in_a_row = 0;
    bool predictable = false;
  };
  Decision& decision(std::uint32_t number);
  [[nodiscard]] std::int64_t occurrences(const Decision& decision, const Kernel& kernel) const;
  static KernelStatistics known(const Decision& decision, const Kernel& kernel);

  Policy policy_;
  Precision precision_;
  std::vector<Decision> decisions_;
};

}  // namespace flopcast::path
