#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/selective/student_quantiles.hpp"
#include "flopcast/support/field.hpp"

namespace flopcast::selective {

/// Policies that decide whether a kernel is still executed (paper 004, section IV-B).
enum class Policy : std::uint8_t {
  full,         ///< every kernel is executed
  conditional,  ///< each process decides by its own interval of the mean
  local,        ///< narrowed by how often the process itself has met the kernel
  online,       ///< narrowed by the count along the path that leads to the process at present
  a_priori,     ///< narrowed by the count along the critical path of an earlier full execution
  eager,        ///< decided by the interval of any one process, once its times have been made known to all
  random,       ///< each process decides by chance: for tests that no decision makes a program hang
  rehearsal,  ///< one in eight short computations and long messages, seven in eight short messages, by chance: tests how the program reacts
};

/// Returns the name of a policy on the command line and in documents.
[[nodiscard]] std::string_view to_string(Policy policy);

/// Accuracy from which on a kernel's time counts as known.
struct TimePrecision {
  double tolerance = 0.1;      ///< relative half-width of the interval (epsilon of paper 004; its figures range over 1 to 1/1024)
  double confidence = 0.95;    ///< confidence of the interval
  std::int64_t min_count = 3;  ///< fewer executions never make a time known: with two the interval of Student's t is mostly chance
};

/// Half-width of the interval of the mean of `times`, divided by the mean, for a kernel that occurs `occurrences` times on the path. The
/// variance of its mean time there is divided by that count (paper 004, section III-A). Infinite for fewer than two values.
double relative_half_width(const KernelStatistics& times, StudentQuantiles& quantiles, std::int64_t occurrences);

/// Returns true if the time is known well enough. `occurrences` is 1 for a policy that doesn't count.
bool is_predictable(const KernelStatistics& times, const TimePrecision& precision, StudentQuantiles& quantiles, std::int64_t occurrences);

/// Knowledge of an earlier run about a kernel. A plain record: it travels in messages.
struct PriorKernel {
  KernelKey key;
  KernelStatistics times;
  std::int64_t along = 0;  ///< count along its critical path
  double flops = 0;        ///< flops of one execution
};

}  // namespace flopcast::selective

template <>
struct flopcast::EnumNames<flopcast::selective::Policy> {
  using Policy = selective::Policy;
  static constexpr std::array names{std::pair{Policy::full, "full"},         std::pair{Policy::conditional, "conditional"},
                                    std::pair{Policy::local, "local"},       std::pair{Policy::online, "online"},
                                    std::pair{Policy::a_priori, "a-priori"}, std::pair{Policy::eager, "eager"},
                                    std::pair{Policy::random, "random"},     std::pair{Policy::rehearsal, "rehearsal"}};
};
