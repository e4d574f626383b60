#include "flopcast/tune/joint.hpp"

#include <algorithm>
#include <cmath>

#include "flopcast/predict/predicted_interval.hpp"

namespace flopcast::tuning {
namespace {

constexpr double z95_one_sided = 1.645;

/// Returns the possible error of the difference between the forecasts of two places.
Seconds reach(const Forecast& a, const Forecast& b) {
  return z95_one_sided * std::hypot(prediction::interval_deviation(a.interval), prediction::interval_deviation(b.interval));
}

/// Returns whether this variant ties with the fastest one in its place's own decision.
bool tied_at_home(const Decision& decision, const Forecast& forecast) {
  const std::vector<std::string>& ties = decision.ranking.front().ties;
  return std::find(ties.begin(), ties.end(), forecast.variant) != ties.end();
}

}  // namespace

JointDecision join(std::span<const Decision> decisions, const BlockSizeOptions& options) {
  JointDecision joint;
  for (std::size_t place = 0; place < decisions.size(); ++place) {
    for (const Standing& standing : decisions[place].ranking) {
      joint.ranking.push_back({place, standing.best, 0, false});
    }
  }
  if (joint.ranking.empty()) {
    return joint;
  }
  std::stable_sort(joint.ranking.begin(), joint.ranking.end(),
                   [](const JointStanding& a, const JointStanding& b) { return a.best.seconds < b.best.seconds; });
  const JointStanding fastest = joint.ranking.front();
  joint.regret = decisions[fastest.place].ranking.front().regret;
  for (JointStanding& standing : joint.ranking) {
    const Seconds behind = standing.best.seconds - fastest.best.seconds;
    standing.behind = behind / fastest.best.seconds;
    if (same_alternative(standing.best, fastest.best) && standing.place == fastest.place) {
      continue;
    }
    if (standing.place == fastest.place) {
      standing.tied = tied_at_home(decisions[fastest.place], standing.best);
      continue;
    }
    const Seconds uncertain = reach(standing.best, fastest.best);
    standing.tied = behind < std::max(uncertain, options.tie_margin * fastest.best.seconds);
    joint.regret = std::max(joint.regret, (uncertain - behind) / standing.best.seconds);
  }
  return joint;
}

}  // namespace flopcast::tuning
