#include "flopcast/tune/decision.hpp"

#include <fmt/format.h>

namespace flopcast::tuning {

bool is_undecided(const Decision& decision) {
  static constexpr double max_regret = 0.1;
  return decision.regret > max_regret;
}

std::string considered_text(const Decision& decision) {
  return decision.candidates == 0 ? "" : fmt::format("{} of {}", decision.considered, decision.candidates);
}

const Forecast& effective_forecast(const Decision& decision) { return is_undecided(decision) ? decision.default_ : decision.chosen; }

}  // namespace flopcast::tuning
