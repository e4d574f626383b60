#include "flopcast/tasks/modelling/check_plan.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace flopcast {
namespace {

/// Returns a placement in which every operand lies in the first cache.
Placement near(const Call& call) {
  Placement placement;
  for (std::size_t i = 0; i < operands(call).size(); ++i) {
    placement.push_back({0, 0, false});
  }
  return placement;
}

/// Returns the expected time of one run of a segment: its calls, twice if they are executed for warmth, and filling their operands.
Seconds cost_of(const CheckedSegment& segment, const model::OnDemandModels& models) {
  static constexpr double fill_bandwidth = 1e9;  // bytes per second
  static constexpr Seconds overhead = 20e-6;     // placing operands and waking vector units
  const tuning::KeptSegment& kept = segment.kept;
  const double executions = kept.segment.context == 0 ? 2 : 1;
  Seconds sum = overhead;
  for (std::size_t at = kept.segment.context; at < kept.segment.end; ++at) {
    const Call& call = kept.trace.calls[at];
    sum += executions * (models.seconds(call, at < kept.segment.begin ? near(call) : kept.placements[at]) +
                         static_cast<double>(footprint_bytes(call)) / fill_bandwidth);
  }
  return sum;
}

/// Returns the segments of a kernel in the order of its work in them, in flops.
std::vector<std::size_t> by_work(const CheckedSegments& all, const ModelKey& key, const std::vector<std::size_t>& candidates) {
  std::vector<std::pair<double, std::size_t>> work;
  for (const std::size_t s : candidates) {
    for (const std::optional<std::size_t>& place : all.segments()[s].places) {
      if (place && all.places()[*place].key == key) {
        work.emplace_back(flops(all.places()[*place].call), s);
        break;
      }
    }
  }
  std::stable_sort(work.begin(), work.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::size_t> sorted;
  sorted.reserve(work.size());
  for (const auto& [flops, s] : work) {
    sorted.push_back(s);
  }
  return sorted;
}

class CheckPlanner {
 public:
  CheckPlanner(const CheckedSegments& all, std::int64_t repetitions, Seconds budget, std::uint64_t seed)
      : all_(all), repetitions_(repetitions), budget_(budget), random_(seed) {}

  CheckPlan plan(const model::OnDemandModels& models) {
    static constexpr double longest_run = 1.0 / 20;  // share of the budget
    for (const CheckedSegment& segment : all_.segments()) {
      plan_.costs.push_back(cost_of(segment, models));
    }
    for (const auto& [key, samples] : all_.samples()) {
      std::vector<std::size_t> own = all_.segments_of(key);
      std::erase_if(own, [&](std::size_t s) { return plan_.costs[s] > longest_run * budget_; });
      std::shuffle(own.begin(), own.end(), random_);
      kernels_.emplace_back(key, std::move(own));
    }
    std::shuffle(kernels_.begin(), kernels_.end(), random_);
    choose_retimed();
    choose_checked();
    hold_out();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] Seconds cost(std::size_t s) const { return static_cast<double>(repetitions_) * plan_.costs[s]; }

  /// Takes a few segments of every kernel, spread over its work, while they cost at most a third of the budget.
  void choose_retimed() {
    static constexpr std::size_t per_kernel = 3;
    static constexpr double share = 1.0 / 3;
    for (const auto& [key, candidates] : kernels_) {
      const std::vector<std::size_t> sorted = by_work(all_, key, candidates);
      if (sorted.size() <= 2 * per_kernel) {
        continue;  // the points are needed for checking
      }
      for (std::size_t i = 0; i < per_kernel; ++i) {
        const std::size_t first = i * sorted.size() / per_kernel;
        const std::size_t end = (i + 1) * sorted.size() / per_kernel;
        const std::size_t s = sorted[std::uniform_int_distribution<std::size_t>(first, end - 1)(random_)];
        if (used_.count(s) == 0 && spent_ + cost(s) <= share * budget_) {
          take(s, plan_.retimed);
        }
      }
    }
  }

  void choose_checked() {
    std::vector<std::size_t> next(kernels_.size());
    for (bool more = true; more;) {
      more = false;
      for (std::size_t k = 0; k < kernels_.size(); ++k) {
        const std::vector<std::size_t>& own = kernels_[k].second;
        while (next[k] < own.size() && used_.count(own[next[k]]) > 0) {
          ++next[k];
        }
        if (next[k] < own.size()) {
          take(own[next[k]], plan_.checked);
          more = true;
        }
      }
    }
  }

  /// Holds out the places of every other checked segment that the budget suffices for, but for those that other segments time, too.
  void hold_out() {
    std::set<std::size_t> known;
    Seconds spent = 0;
    for (const std::size_t s : plan_.retimed) {
      add_places(s, known);
      spent += cost(s);
    }
    bool holds_out = false;
    for (const std::size_t s : plan_.checked) {
      spent += cost(s);
      add_places(s, holds_out && spent <= budget_ ? plan_.held_out : known);
      holds_out = !holds_out;
    }
    for (const std::size_t place : known) {
      plan_.held_out.erase(place);
    }
  }

  void add_places(std::size_t s, std::set<std::size_t>& places) const {
    for (const std::optional<std::size_t>& place : all_.segments()[s].places) {
      if (place) {
        places.insert(*place);
      }
    }
  }

  void take(std::size_t s, std::vector<std::size_t>& to) {
    used_.insert(s);
    to.push_back(s);
    spent_ += cost(s);
  }

  const CheckedSegments& all_;
  std::int64_t repetitions_;
  Seconds budget_;
  std::mt19937_64 random_;
  CheckPlan plan_;
  std::vector<std::pair<ModelKey, std::vector<std::size_t>>> kernels_;
  std::set<std::size_t> used_;
  Seconds spent_ = 0;
};

}  // namespace

CheckPlan plan_check(const CheckedSegments& all, const model::OnDemandModels& models, std::int64_t repetitions, Seconds budget,
                     std::uint64_t seed) {
  return CheckPlanner(all, repetitions, budget, seed).plan(models);
}

}  // namespace flopcast
