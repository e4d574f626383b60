#include "flopcast/selective/error_budget.hpp"

#include <algorithm>

namespace flopcast::selective {

/// A path that has just begun is expected to be about as long as the one before it. No kernel takes more than an eighth of the budget: a
/// larger one is executed and makes the model better for others.
bool ErrorBudget::spend(std::int64_t predicted, Seconds half_width, Seconds path) noexcept {
  constexpr double share = 0.125;
  const double more = static_cast<double>(2 * predicted + 1) * half_width * half_width;
  const Seconds budget = tolerance_ * std::max(path, last_path_ / 2);
  if (more > share * budget * budget || spent_squares_ + more > budget * budget) {
    return false;
  }
  spent_squares_ += more;
  return true;
}

}  // namespace flopcast::selective
