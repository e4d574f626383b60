#include "flopcast/tune/design.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "flopcast/tune/kernel_design.hpp"

namespace flopcast::tuning {
namespace {

using Designs = std::map<ModelKey, KernelDesign>;

/// Kernel and place of a subject's call; empty if the call returns at once.
struct DesignLocation {
  KernelDesign* design = nullptr;
  std::size_t place = 0;
};

/// A candidate measurement for a point.
struct DesignCandidate {
  Pick pick;
  KernelDesign* design = nullptr;
  std::size_t point = 0;
  std::optional<std::size_t> place;  ///< place that the pick is for; empty if none is left
};

class Designer {
 public:
  Designer(std::span<Subject> subjects, const model::OnDemandModels& models, const DesignOptions& options)
      : subjects_(subjects), models_(models), options_(options), open_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(subjects.size()))) {
    find_places();
    for (auto& [key, design] : designs_) {
      const auto [parameters, groups] = process_of(key, design);
      design.form_points(model::coordinate_lengths(parameters, groups), options.coarseness, options.max_points);
    }
    expect_seconds();
    find_shares();
    for (auto& [key, design] : designs_) {
      begin(key, design);
    }
  }

  std::vector<Pick> choose() {
    static constexpr double margin = 0.8;  // measurements may show that the models know less than they seemed to
    std::vector<Pick> picks;
    if (!any_beyond(options_.target)) {
      return picks;
    }
    std::vector<DesignCandidate> candidates = all_candidates();
    Seconds spent = 0;
    while (picks.size() < options_.max_picks && any_beyond(margin * options_.target)) {
      const DesignCandidate* best = nullptr;
      double best_value = 0;
      for (DesignCandidate& candidate : candidates) {
        renew(candidate);
        const double candidate_value = candidate.place ? value(candidate.pick) : 0;
        if (candidate_value > best_value) {
          best = &candidate;
          best_value = candidate_value;
        }
      }
      if (best == nullptr) {
        break;
      }
      spent += best->pick.cost * options_.repetitions;
      if (spent > options_.budget && !picks.empty()) {
        break;
      }
      picks.push_back(best->pick);
      observe(best->pick);
    }
    return picks;
  }

  /// Returns whether a segment wasn't chosen because it takes too long.
  [[nodiscard]] bool leaves_long() const noexcept { return leaves_long_; }

 private:
  [[nodiscard]] const model::KernelProcess* fitted(const ModelKey& key) const {
    const auto found = models_.kernels().find(key);
    return found != models_.kernels().end() && found->second.fitted() ? &found->second : nullptr;
  }

  [[nodiscard]] const Routine& routine_of(const KernelDesign& design) const {
    const KernelDesign::Place& place = design.places().front();
    return *subjects_[place.subject].trace.calls[place.call].routine;
  }

  /// Hyperparameters and coordinate groups of a kernel; defaults for a kernel that was never measured.
  [[nodiscard]] std::pair<model::ProcessParameters, std::vector<int>> process_of(const ModelKey& key, const KernelDesign& design) const {
    if (const model::KernelProcess* known = fitted(key)) {
      return {known->process().parameters(), known->process().groups()};
    }
    const Routine& routine = routine_of(design);
    return {model::KernelProcess::prior(routine), model::KernelProcess::coordinate_groups(routine)};
  }

  /// Assigns a place to every call.
  void find_places() {
    locations_.resize(subjects_.size());
    for (std::size_t s = 0; s < subjects_.size(); ++s) {
      const Subject& subject = subjects_[s];
      for (std::size_t c = 0; c < subject.trace.calls.size(); ++c) {
        const Call& call = subject.trace.calls[c];
        if (model::returns_at_once(call)) {
          locations_[s].push_back({});
          continue;
        }
        const ModelKey key = models_.key(call);
        KernelDesign& design = designs_[key];
        const model::KernelProcess* known = fitted(key);
        locations_[s].push_back(
            {&design, design.add(known != nullptr ? known->place(call, subject.placements[c], models_.baseline())
                                                  : model::KernelProcess::coordinates(call, subject.placements[c], models_.baseline()),
                                 s, c)});
      }
    }
    for (auto& [key, design] : designs_) {
      if (const model::KernelProcess* known = fitted(key)) {
        const std::vector<int>& groups = known->process().groups();
        const auto session = std::find(groups.begin(), groups.end(), model::session_group);
        design.mark_observed(known->observed_places(), static_cast<std::size_t>(session - groups.begin()));
      }
    }
  }

  /// Predicts the time of all calls of a point from one evaluation of the model: their ratios to their roofs are taken to be equal.
  void expect_seconds() {
    std::map<const KernelDesign*, std::vector<double>> ratios;
    for (const auto& [key, design] : designs_) {
      for (std::size_t p = 0; p < design.point_count(); ++p) {
        const KernelDesign::Place& first = design.first_place(p);
        const Call& call = subjects_[first.subject].trace.calls[first.call];
        const Placement& placement = subjects_[first.subject].placements[first.call];
        ratios[&design].push_back(models_.seconds(call, placement) / model::baseline_time(call, placement, models_.baseline()));
      }
    }
    seconds_.resize(subjects_.size());
    for (std::size_t s = 0; s < subjects_.size(); ++s) {
      const Subject& subject = subjects_[s];
      for (std::size_t c = 0; c < subject.trace.calls.size(); ++c) {
        const auto& [design, place] = locations_[s][c];
        seconds_[s].push_back(design == nullptr
                                  ? models_.baseline().overhead
                                  : ratios[design][design->places()[place].point] *
                                        model::baseline_time(subject.trace.calls[c], subject.placements[c], models_.baseline()));
      }
    }
  }

  void find_shares() {
    std::vector<Seconds> totals;
    for (const std::vector<Seconds>& of_calls : seconds_) {
      totals.push_back(std::accumulate(of_calls.begin(), of_calls.end(), 0.0));
    }
    if (options_.weigh) {
      options_.weigh(totals);
    }
    for (std::size_t s = 0; s < subjects_.size(); ++s) {
      for (std::size_t c = 0; c < seconds_[s].size(); ++c) {
        if (const auto& [design, place] = locations_[s][c]; design != nullptr) {
          design->add_share(place, s, subjects_[s].weight * seconds_[s][c] / totals[s]);
        }
      }
    }
  }

  void begin(const ModelKey& key, KernelDesign& design) {
    const model::KernelProcess* known = fitted(key);
    const auto [parameters, groups] = process_of(key, design);
    const model::GaussianProcess::Points points = design.coordinates();
    design.begin(parameters, groups,
                 known != nullptr ? known->process().smooth_covariance(points)
                                  : model::GaussianProcess::prior_smooth_covariance(points, groups, parameters),
                 options_.measurement_error * options_.measurement_error, subjects_.size());
  }

  std::vector<DesignCandidate> all_candidates() {
    std::vector<DesignCandidate> candidates;
    for (auto& [key, design] : designs_) {
      for (std::size_t p = 0; p < design.point_count(); ++p) {
        candidates.push_back({{}, &design, p, {}});
      }
    }
    return candidates;
  }

  /// Finds the segment around the next place of the candidate's point; segments that were measured before are skipped.
  void renew(DesignCandidate& candidate) {
    for (; const std::optional<std::size_t> next = candidate.design->next(candidate.point); candidate.design->skip_next(candidate.point)) {
      if (candidate.place == next) {
        return;
      }
      const KernelDesign::Place& place = candidate.design->places()[*next];
      const Subject& subject = subjects_[place.subject];
      Pick pick{place.subject, segment_around(subject.trace, subject.placements, seconds_[place.subject], place.call), 0};
      if (options_.measured == nullptr || options_.measured->count(pick) == 0) {
        pick.cost = segment_cost(pick.subject, pick.segment);
        if (pick.cost > options_.max_cost) {
          leaves_long_ = true;
          continue;
        }
        candidate.pick = pick;
        candidate.place = next;
        return;
      }
    }
    candidate.place.reset();
  }

  /// Returns the expected cost of a segment: executing context and timed calls, and filling and placing their operands before.
  [[nodiscard]] Seconds segment_cost(std::size_t subject, const TimedSegment& segment) const {
    static constexpr double preparation_bandwidth = 3e9;  // bytes per second: filling operands
    static constexpr Seconds fixed = 50e-6;
    Seconds sum = fixed;
    for (std::size_t at = segment.context; at < segment.end; ++at) {
      sum += seconds_[subject][at] + static_cast<double>(footprint_bytes(subjects_[subject].trace.calls[at])) / preparation_bandwidth;
    }
    return sum;
  }

  [[nodiscard]] double value(const Pick& pick) const {
    double sum = 0;
    for (std::size_t at = pick.segment.begin; at < pick.segment.end; ++at) {
      if (const auto& [design, place] = locations_[pick.subject][at]; design != nullptr) {
        sum += design->gain(place);
      }
    }
    return sum / pick.cost;
  }

  void observe(const Pick& pick) {
    std::set<KernelDesign*> changed;
    for (std::size_t at = pick.segment.begin; at < pick.segment.end; ++at) {
      if (const auto& [design, place] = locations_[pick.subject][at]; design != nullptr) {
        design->observe(place);
        changed.insert(design);
      }
    }
    for (KernelDesign* design : changed) {
      design->update_gains(open_);
    }
  }

  /// Determines the open subjects, whose weighted relative standard deviation of the total exceeds `limit`; returns whether there are any.
  bool any_beyond(double limit) {
    Eigen::VectorXd variance = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(subjects_.size()));
    for (const auto& [key, design] : designs_) {
      variance += design.variances();
    }
    const Eigen::VectorXd open = (variance.array() > limit * limit).cast<double>();
    if (open != open_) {
      open_ = open;
      for (auto& [key, design] : designs_) {
        design.update_gains(open_);
      }
    }
    return open_.any();
  }

  std::span<Subject> subjects_;
  std::vector<std::vector<Seconds>> seconds_;  ///< expected time, by subject and call
  const model::OnDemandModels& models_;
  DesignOptions options_;
  bool leaves_long_ = false;
  Designs designs_;
  Eigen::VectorXd open_;                                ///< index: subject; 1 while its total isn't known well enough, else 0
  std::vector<std::vector<DesignLocation>> locations_;  ///< indices: subject and call
};

}  // namespace

std::vector<Pick> choose_segments(std::span<Subject> subjects, const model::OnDemandModels& models, const DesignOptions& options,
                                  bool* leaves_long) {
  if (subjects.empty()) {
    return {};
  }
  Designer designer(subjects, models, options);
  std::vector<Pick> picks = designer.choose();
  if (leaves_long != nullptr) {
    *leaves_long = designer.leaves_long();
  }
  return picks;
}

}  // namespace flopcast::tuning
