#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "flopcast/contract/algorithms/execute.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {

/// Fills memory with elements whose parts are in [-1, 1]. The numbers repeat after 8191 elements.
void fill_random(Precision precision, std::byte* memory, std::int64_t bytes, std::mt19937& random);

/// Throws environment_error if the three tensors need more memory than is available.
void require_memory(const Contraction& contraction);

/// The tensors of a contraction in memory, filled with random numbers in [-1, 1].
class Workspace {
 public:
  /// Throws environment_error if the memory isn't available.
  explicit Workspace(const Contraction& contraction, unsigned seed = 1);
  [[nodiscard]] std::byte* tensor(Operand operand) { return starts_[static_cast<std::size_t>(operand)]; }

 private:
  std::vector<std::shared_ptr<void>> memory_;
  std::array<std::byte*, 3> starts_{};
};

struct ValidateOptions {
  int repetitions = 3;
  Seconds longest = 10;  ///< algorithms with longer predicted times aren't executed
  /// Algorithms with shorter predicted times are executed once before they are timed. As in paper 002 (section 3.2), a contraction then
  /// finds the caches as its own previous execution has left them. Longer algorithms hardly depend on this.
  Seconds repeated_below = 0.2;
};

/// Executes algorithms and returns the medians of their times, NaN for one that wasn't executed. The repetitions of all algorithms are
/// interleaved. C accumulates, as in the paper's kernels. `predicted` holds the predicted times, one per algorithm. `progress` is called
/// before each execution; if it returns false, the function returns the results so far.
std::vector<Seconds> execution_times(std::span<const Algorithm> algorithms, const Contraction& contraction, const FindRoutine& find,
                                     std::span<const Seconds> predicted, const ValidateOptions& options, const Progress& progress);

}  // namespace flopcast::contract
