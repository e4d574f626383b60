#include "flopcast/path/execution_policy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "flopcast/core/error.hpp"
#include "flopcast/core/statistics.hpp"

namespace flopcast::path {
namespace {

constexpr std::array<std::pair<Policy, std::string_view>, 4> names = {
    {{Policy::full, "full"}, {Policy::conditional, "conditional"}, {Policy::local, "local"}, {Policy::a_priori, "a-priori"}}};

}  // namespace

std::string_view policy_name(Policy policy) {
  for (const auto& [value, name] : names) {
    if (value == policy) {
      return name;
    }
  }
  throw internal_error("unknown policy {}", static_cast<int>(policy));
}

Policy policy_named(std::string_view name) {
  std::vector<std::string_view> known;
  for (const auto& [value, text] : names) {
    if (text == name) {
      return value;
    }
    known.push_back(text);
  }
  throw bad_input("'{}' is no policy of execution; there are {}", name, fmt::join(known, ", "));
}

double relative_half_width(const KernelStatistics& times, double confidence, std::int64_t occurrences) {
  if (times.count < 2 || times.mean <= 0) {
    return std::numeric_limits<double>::infinity();
  }
  const double n = static_cast<double>(times.count);
  const double quantile = student_t_quantile((1 + confidence) / 2, n - 1);
  const double narrowing = std::sqrt(n * static_cast<double>(std::max<std::int64_t>(occurrences, 1)));
  return quantile * std::sqrt(times.variance()) / narrowing / times.mean;
}

bool is_predictable(const KernelStatistics& times, const Precision& precision, std::int64_t occurrences) {
  return times.count >= precision.least_count && relative_half_width(times, precision.confidence, occurrences) <= precision.tolerance;
}

void ExecutionDecisions::know(std::uint32_t number, const PriorKernel& prior) { decision(number).prior = prior; }

ExecutionDecisions::Decision& ExecutionDecisions::decision(std::uint32_t number) {
  if (number >= decisions_.size()) {
    decisions_.resize(number + std::size_t{1});
  }
  return decisions_[number];
}

std::int64_t ExecutionDecisions::occurrences(const Decision& decision, const Kernel& kernel) const {
  switch (policy_) {
    case Policy::local: return kernel.executed.count + kernel.skipped + 1;
    case Policy::a_priori: return decision.prior.along;
    case Policy::full:
    case Policy::conditional: break;
  }
  return 1;
}

KernelStatistics ExecutionDecisions::known(const Decision& decision, const Kernel& kernel) {
  constexpr double least_drift = 0.25;  // relative: less is within what one execution says
  constexpr double deviations = 4;
  const KernelStatistics& prior = decision.prior.times;
  const double allowed = std::max(deviations * std::sqrt(prior.variance()), least_drift * prior.mean);
  KernelStatistics all = kernel.executed;
  if (kernel.executed.count > 0 && std::abs(kernel.executed.mean - prior.mean) <= allowed) {
    all.merge(prior);
  }
  return all;
}

bool ExecutionDecisions::wants_execution(std::uint32_t number, const Kernel& kernel) {
  constexpr std::int64_t most_in_a_row = 64;  // then it is looked at again, since machines change their speed
  if (policy_ == Policy::full || kernel.executed.count == 0) {
    return true;
  }
  Decision& past = decision(number);
  const std::int64_t now = occurrences(past, kernel);
  if (past.judged_count != kernel.executed.count || now >= 2 * past.judged_occurrences) {
    past.predictable = is_predictable(known(past, kernel), precision_, now);
    past.judged_count = kernel.executed.count;
    past.judged_occurrences = now;
  }
  const bool execute = !past.predictable || past.skipped_in_a_row >= most_in_a_row;
  past.skipped_in_a_row = execute ? 0 : past.skipped_in_a_row + 1;
  return execute;
}

Seconds ExecutionDecisions::estimate(std::uint32_t number, const Kernel& kernel) { return known(decision(number), kernel).mean; }

}  // namespace flopcast::path
