#include "flopcast/tune/decision.hpp"

namespace flopcast::tuning {

bool is_undecided(const Decision& decision) {
  static constexpr double max_regret = 0.1;
  return decision.regret > max_regret;
}

const Forecast& effective_forecast(const Decision& decision) { return is_undecided(decision) ? decision.default_ : decision.chosen; }

}  // namespace flopcast::tuning
