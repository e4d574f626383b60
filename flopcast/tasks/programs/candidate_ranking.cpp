#include "flopcast/tasks/programs/candidate_ranking.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "flopcast/cache/placement.hpp"
#include "flopcast/predict/predicted_interval.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tune/block_size.hpp"
#include "flopcast/workbench/on_demand_sampling.hpp"

namespace flopcast {

CandidateRanker::CandidateRanker(std::vector<Candidate> candidates, const CandidateServices& services) {
  if (candidates.empty()) {
    throw bad_input("there are no candidates to rank, expected one or more");
  }
  for (Candidate& candidate : candidates) {
    if (candidate.parts.empty()) {
      throw bad_input("candidate '{}' has no parts, expected one with a trace or more", candidate.name);
    }
    Row& row = rows_.emplace_back(Row{std::move(candidate.name), {}, subjects_.size(), candidate.own_deviation});
    for (CandidatePart& part : candidate.parts) {
      row.own.push_back(part.own_seconds);
      std::vector<Placement> placements = cache::cache_state(part.trace, services.environment.caches, cache::Start::filled).placements;
      subjects_.push_back({std::move(part.trace), std::move(placements), 1});
    }
  }
  models_ = &services.models(subjects_, [this](std::span<const Seconds> totals) { weigh(totals); });
  predict();
}

std::size_t CandidateRanker::longest(const Row& row, std::span<const Seconds> kernels) {
  std::size_t best = 0;
  for (std::size_t part = 1; part < row.own.size(); ++part) {
    best = kernels[row.first + part] + row.own[part] > kernels[row.first + best] + row.own[best] ? part : best;
  }
  return best;
}

/// Makes sampling care for candidates near the best one. The precision of kernels counts as much as their share of the time.
void CandidateRanker::weigh(std::span<const Seconds> kernels) {
  static constexpr double margin = 0.06, least = 0.1;  // candidates so far behind the best need little precision
  std::vector<Seconds> seconds;
  for (const Row& row : rows_) {
    const std::size_t part = longest(row, kernels);
    seconds.push_back(kernels[row.first + part] + row.own[part]);
  }
  const Seconds best = *std::min_element(seconds.begin(), seconds.end());
  for (std::size_t c = 0; c < rows_.size(); ++c) {
    const double behind = (seconds[c] / best - 1) / margin;
    for (std::size_t part = rows_[c].first; part < rows_[c].first + rows_[c].own.size(); ++part) {
      subjects_[part].weight = std::max(least, std::exp(-behind * behind / 2)) * kernels[part] / seconds[c];
    }
  }
}

void CandidateRanker::predict() {
  std::vector<model::Total> totals;
  std::vector<Seconds> kernels;
  for (const tuning::Subject& subject : subjects_) {
    totals.push_back(models_->total(subject.trace.calls, subject.placements));
    kernels.push_back(totals.back().seconds);
  }
  for (Row& row : rows_) {
    const std::size_t part = longest(row, kernels);
    row.own = {row.own[part]};
    row.calls = static_cast<std::int64_t>(subjects_[row.first + part].trace.calls.size());
    row.total = std::move(totals[row.first + part]);
    row.variance = std::max(0.0, models_->covariance(row.total, row.total));
  }
  subjects_.clear();
}

void CandidateRanker::set_own(std::size_t candidate, Seconds change, Seconds deviation) {
  Row& row = rows_[candidate];
  row.own.front() = std::max(0.0, row.own.front() + change);
  row.own_deviation = deviation;
}

/// Returns the variance of the difference of two candidates' times. Errors that both share cancel.
double CandidateRanker::difference_variance(const Row& a, const Row& b) const {
  static const tuning::BlockSizeOptions errors;
  const double models = std::max(0.0, a.variance + b.variance - 2 * models_->covariance(a.total, b.total));
  const double method = errors.block_error * (a.total.seconds + b.total.seconds) / 2;
  const double calls = errors.call_error * static_cast<double>(a.calls - b.calls);
  return models + method * method + calls * calls + a.own_deviation * a.own_deviation + b.own_deviation * b.own_deviation;
}

CandidateRanking CandidateRanker::ranking() const {
  CandidateRanking ranking;
  const auto faster = [](const Row& a, const Row& b) { return a.seconds() < b.seconds(); };
  ranking.best = static_cast<std::size_t>(std::min_element(rows_.begin(), rows_.end(), faster) - rows_.begin());
  const Row& best = rows_[ranking.best];
  std::vector<Normal> losses;
  for (const Row& row : rows_) {
    RankedCandidate& one = ranking.candidates.emplace_back();
    one.name = row.name;
    one.seconds = row.seconds();
    one.interval = prediction::predicted_interval(
        one.seconds, {std::hypot(std::sqrt(row.variance), row.own_deviation), models_->run_deviation(), prediction::default_method_error});
    one.kernel_seconds = row.total.seconds;
    one.own_seconds = row.own.front();
    one.behind = one.seconds / best.seconds() - 1;
    one.extrapolated_share = one.seconds > 0 ? (row.total.extrapolated + row.total.unmodelled) / one.seconds : 0;
    if (&row != &best) {
      static constexpr double rounding = 1e-12;
      const Seconds deviation = std::sqrt(difference_variance(best, row)) + rounding;
      one.tied = one.behind < tuning::default_tie_margin || one.seconds - best.seconds() < prediction::z95_one_sided * deviation;
      losses.push_back({best.seconds() / one.seconds - 1, deviation / one.seconds});
    }
  }
  ranking.regret = losses.empty() ? 0 : std::max(0.0, quantile_of_maximum(losses, prediction::default_confidence));
  return ranking;
}

CandidateRanking rank_candidates(const Workbench& bench, std::vector<Candidate> candidates, Duration time_budget,
                                 const RunContext& context) {
  model::OnDemandModels models = bench.models(bench.store(), routines_of(candidates));
  const auto sampled = [&](std::vector<tuning::Subject>& traces, const auto& weigh) -> const model::OnDemandModels& {
    sample_missing(traces, bench, bench.store(), models, time_budget, "sampling kernels", context, weigh);
    return models;
  };
  return CandidateRanker(std::move(candidates), {bench.environment(), sampled}).ranking();
}

std::set<std::string> routines_of(const std::vector<Candidate>& candidates) {
  std::set<std::string> routines;
  for (const Candidate& candidate : candidates) {
    for (const CandidatePart& part : candidate.parts) {
      for (const Call& call : part.trace.calls) {
        routines.insert(call.routine->name);
      }
    }
  }
  return routines;
}

}  // namespace flopcast
