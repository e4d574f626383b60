#include "flopcast/selective/routine_families.hpp"

#include <cmath>
#include <cstddef>

namespace flopcast::selective {

RoutineFamily& RoutineFamilies::of(std::uint32_t number, const KernelKey& key, double flops) {
  RoutineFamily& family = families_[without_sizes(key)];
  if (number >= answers_.size()) {
    answers_.resize(number + std::size_t{1});
  }
  if (!answers_[number].has_family) {
    answers_[number].has_family = true;
    family.add(number, key, flops);
  }
  return family;
}

void RoutineFamilies::begin_run() {
  for (auto& [key, family] : families_) {
    family.begin_run();
  }
}

void RoutineFamilies::begin_execution() {
  for (auto& [key, family] : families_) {
    family.begin_execution();
  }
}

void RoutineFamilies::doubt_first_execution() {
  for (auto& [key, family] : families_) {
    family.doubt_first_execution();
  }
  scatter_ = {};
}

void RoutineFamilies::note_deviation(RoutineFamily& family, const KernelStatistics& before, Seconds seconds) {
  if (before.count > 0 && before.mean > 0) {
    const double n = static_cast<double>(before.count);
    const double relative = seconds / before.mean - 1;
    for (RelativeDeviations* each : {&family.deviations, &scatter_[decade_of(before.mean)]}) {
      each->add(relative * std::sqrt(n / (n + 1)));
    }
  }
}

const RelativeDeviations& RoutineFamilies::scatter_of(Seconds seconds) const {
  std::size_t decade = decade_of(seconds);
  while (decade > 0 && !scatter_[decade].are_enough()) {
    --decade;
  }
  return scatter_[decade];
}

std::optional<SizePrediction> RoutineFamilies::predict(RoutineFamily& family, std::uint32_t number, const KernelRecord& kernel,
                                                       StudentQuantiles& quantiles, std::span<const KernelTimes> times, bool prior_counts) {
  if (family.has_nothing_to_do(kernel.key, kernel.flops)) {
    return std::nullopt;
  }
  family.fit_if_due(times, prior_counts);
  Answer& answer = answers_[number];
  if (answer.fit != family.fit()) {
    answer.prediction = family.model()->predict(size_terms(kernel.key, kernel.flops), quantiles, size_place(kernel.key));
    answer.fit = family.fit();
  }
  return answer.prediction;
}

}  // namespace flopcast::selective
