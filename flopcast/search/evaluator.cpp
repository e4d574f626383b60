#include "flopcast/search/evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "flopcast/support/error.hpp"

namespace flopcast::search {

Meter::Meter(Limits limits) : limits_(std::move(limits)) {
  if (limits_.evaluations < 0 || !(limits_.seconds >= 0)) {
    throw bad_input("budget of a search: {} evaluations and {} seconds given, expected none below 0", limits_.evaluations, limits_.seconds);
  }
  begin_ = limits_.clock ? limits_.clock() : 0;
}

bool Meter::exhausted() {
  if (limits_.interrupted && limits_.interrupted()) {
    ending_ = Ending::interrupted;
    return true;
  }
  ending_ = Ending::budget;
  return evaluations_ >= limits_.evaluations || spent() >= limits_.seconds;
}

Seconds Meter::spent() const { return limits_.clock ? limits_.clock() - begin_ : costs_; }

std::vector<Evaluation> Meter::evaluate(const Evaluator& evaluator, Evaluator::Block block) {
  std::vector<Evaluation> evaluations;
  while (evaluations.size() < block.size() && !exhausted()) {
    const auto left = static_cast<std::size_t>(limits_.evaluations - evaluations_);
    const std::size_t asked = std::min({evaluator.most(), block.size() - evaluations.size(), left});
    const Seconds begin = spent();
    const std::vector<Seconds> got = evaluator(block.subspan(evaluations.size(), asked));
    if (got.size() > asked) {
      throw internal_error("an evaluator gave {} costs for a block of {}", got.size(), asked);
    }
    std::for_each(got.begin(), got.end(), [this](Seconds cost) { count(cost); });
    const Seconds duration = (spent() - begin) / static_cast<double>(std::max<std::size_t>(got.size(), 1));
    std::transform(got.begin(), got.end(), std::back_inserter(evaluations), [duration](Seconds cost) {
      return Evaluation{cost, duration};
    });
    if (got.size() < asked) {
      ending_ = Ending::interrupted;
      break;
    }
  }
  return evaluations;
}

void Meter::count(Seconds cost) {
  ++evaluations_;
  costs_ += std::isfinite(cost) ? cost : 0;
}

const char* fault(Seconds cost) noexcept {
  if (std::isnan(cost)) {
    return "its cost is not a number";
  }
  return std::isfinite(cost) ? (cost > 0 ? nullptr : "its cost is not above 0") : "its cost is infinite";
}

}  // namespace flopcast::search
