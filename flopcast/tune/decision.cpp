#include "flopcast/tune/decision.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "flopcast/predict/predicted_interval.hpp"

namespace flopcast::tuning {
namespace {

/// Returns the possible error of the difference between the forecasts of two places.
Seconds reach(const Forecast& a, const Forecast& b) { return prediction::difference_error(a.interval, b.interval); }

/// Returns the time of the best alternative that may stand behind a variant's best forecast: of a place where candidates weren't considered, the
/// fastest variant may be faster with one of them.
Seconds least_seconds(const Decision& decision, const Forecast& forecast) {
  const bool is_first = same_alternative(decision.ranking.front().best, forecast);
  return is_first && decision.considered < decision.candidates ? forecast.seconds / (1 + decision.regret) : forecast.seconds;
}

/// Returns whether this variant ties with the fastest one in its place's own decision.
bool tied_at_home(const Decision& decision, const Forecast& forecast) {
  const std::vector<std::string>& ties = decision.ranking.front().ties;
  return std::find(ties.begin(), ties.end(), forecast.variant) != ties.end();
}

}  // namespace

bool is_undecided(const Decision& decision) {
  static constexpr double max_regret = 0.1;
  return decision.regret > max_regret;
}

std::string considered_text(const Decision& decision) {
  return decision.candidates == 0 ? "" : fmt::format("{} of {}", decision.considered, decision.candidates);
}

bool is_refuted(const Decision& decision) {
  const std::optional<Check>& check = decision.validation;
  return check && check->default_seconds > 0 &&
         check->chosen_seconds > (1 + check->repeatability + default_tie_margin) * check->default_seconds;
}

const Forecast& effective_forecast(const Decision& decision) {
  return is_undecided(decision) || is_refuted(decision) ? decision.default_ : decision.chosen;
}

JointDecision join(std::span<const Decision> decisions, double tie_margin) {
  JointDecision joint;
  joint.sizes = decisions.empty() ? std::vector<std::int64_t>() : decisions.front().sizes;
  for (std::size_t place = 0; place < decisions.size(); ++place) {
    for (const VariantRank& variant : decisions[place].ranking) {
      joint.ranking.push_back({place, variant.best, 0, false});
    }
  }
  if (joint.ranking.empty()) {
    return joint;
  }
  std::stable_sort(joint.ranking.begin(), joint.ranking.end(),
                   [](const JointRank& a, const JointRank& b) { return a.best.seconds < b.best.seconds; });
  const JointRank fastest = joint.ranking.front();
  joint.regret = decisions[fastest.place].ranking.front().regret;
  for (JointRank& variant : joint.ranking) {
    const Seconds behind = variant.best.seconds - fastest.best.seconds;
    variant.behind = behind / fastest.best.seconds;
    if (same_alternative(variant.best, fastest.best) && variant.place == fastest.place) {
      continue;
    }
    if (variant.place == fastest.place) {
      variant.tied = tied_at_home(decisions[fastest.place], variant.best);
      continue;
    }
    const Seconds uncertain = reach(variant.best, fastest.best);
    variant.tied = behind < std::max(uncertain, tie_margin * fastest.best.seconds);
    const Seconds possible = least_seconds(decisions[variant.place], variant.best);
    joint.regret = std::max(joint.regret, (fastest.best.seconds + uncertain) / possible - 1);
  }
  return joint;
}

MeasuredJoint measured_joint(const JointRank& chosen, std::span<const Decision> decisions) {
  MeasuredJoint result;
  for (std::size_t place = 0; place < decisions.size(); ++place) {
    if (!decisions[place].validation) {
      continue;
    }
    const Check& check = *decisions[place].validation;
    if (check.best_seconds > 0 && (result.best == 0 || check.best_seconds < result.best)) {
      result.best = check.best_seconds;
    }
    if (place == chosen.place) {
      result.chosen = check.chosen_seconds;
    }
  }
  return result;
}

}  // namespace flopcast::tuning
