#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "flopcast/path/kernel_table.hpp"
#include "flopcast/path/student_quantiles.hpp"

namespace flopcast::path {

/// Who decides, and on what count, whether a kernel is still executed (paper 004, section IV-B).
enum class Policy : std::uint8_t {
  full,         ///< every kernel is executed
  conditional,  ///< each process by its own interval of the mean
  local,        ///< narrowed by how often the process itself has met the kernel
  online,       ///< narrowed by the count along the path that leads to the process at present
  a_priori,     ///< narrowed by the count along the critical path of an earlier full execution
  eager,        ///< by the interval of any one process, once its times have been made known to all
  random,       ///< by chance, each process for itself: for tests that nothing hangs whoever decides what
  rehearsal,    ///< one in eight short computations and long messages, seven in eight short messages, by chance: to see what a program does
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

/// Half-width of the interval of the mean of `times` over the mean, for a kernel that occurs `occurrences` times on the path: the variance
/// of its mean time there is divided by that count (paper 004, section III-A). Infinite for fewer than two values.
double relative_half_width(const KernelStatistics& times, StudentQuantiles& quantiles, std::int64_t occurrences);

/// Whether the time is known well enough. `occurrences` 1 for a policy that doesn't count.
bool is_predictable(const KernelStatistics& times, const Precision& precision, StudentQuantiles& quantiles, std::int64_t occurrences);

/// What an earlier run knows of a kernel. A plain record: it travels in messages.
struct PriorKernel {
  KernelKey key;
  KernelStatistics times;
  std::int64_t along = 0;  ///< count along its critical path
  double flops = 0;        ///< of one execution
};

}  // namespace flopcast::path
