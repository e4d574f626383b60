#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "flopcast/contract/execute.hpp"
#include "flopcast/core/units.hpp"

namespace flopcast::contract {

/// Throws environment_error if the three tensors need more memory than is available.
void require_memory(const Contraction& contraction);

/// Real tensors of a contraction, filled with numbers in [-1, 1].
class Workspace {
 public:
  /// Throws environment_error if so much memory isn't there.
  explicit Workspace(const Contraction& contraction, unsigned seed = 1);
  [[nodiscard]] std::byte* tensor(Place place) { return starts_[static_cast<std::size_t>(place)]; }

 private:
  std::vector<std::shared_ptr<void>> memory_;
  std::array<std::byte*, 3> starts_{};
};

struct ValidateOptions {
  int repetitions = 3;
  Seconds longest = 10;  ///< what is predicted to take longer isn't executed
  /// What is predicted to take less is executed once before it is timed: as in paper 002 (section 3.2) a contraction finds the caches as
  /// its own previous execution has left them. Longer ones hardly care.
  Seconds repeated_below = 0.2;
};

/// Executes algorithms and takes their times: repetitions of all interleaved, medians; NaN for one that was left out. C accumulates, as in
/// the paper's kernels. `predicted` and `go_on` (false: stop and give what there is) are asked before each execution.
std::vector<Seconds> execution_times(std::span<const Algorithm> algorithms, const Contraction& contraction, const FindRoutine& find,
                                     std::span<const Seconds> predicted, const ValidateOptions& options,
                                     const std::function<bool(std::int64_t done, std::int64_t expected)>& go_on);

}  // namespace flopcast::contract
