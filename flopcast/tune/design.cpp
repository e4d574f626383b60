#include "flopcast/tune/design.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

namespace flopcast::tune {
namespace {

/// One place in a kernel's space: all calls that are alike within the coarseness.
struct Point {
  std::vector<double> at;
  std::size_t subject = 0, call = 0;  ///< a representative
  double ratio = 1;                   ///< of its expected time to its roof
  bool chosen = false;                ///< by a pick
};

/// A kernel's points, their posterior covariance, and how the subjects' totals depend on them.
struct KernelDesign {
  std::vector<Point> points;
  std::map<std::vector<std::int64_t>, std::size_t> cells;
  Eigen::MatrixXd shares;       ///< subjects x points: weighted share of the subject's time
  Eigen::MatrixXd covariance;   ///< points x points
  Eigen::MatrixXd sensitivity;  ///< shares * covariance
  Eigen::VectorXd gains;        ///< of every point: variance that observing it takes away from all totals together
  double noise = 0;             ///< variance of one observation

  void update_gains() { gains = sensitivity.colwise().squaredNorm().transpose().array() / (covariance.diagonal().array() + noise); }
};

using Designs = std::map<ModelKey, KernelDesign>;

/// Where a call of a subject went: its kernel and point; nowhere if it returns at once.
struct Location {
  KernelDesign* design = nullptr;
  std::size_t point = 0;
};

std::vector<std::int64_t> cell_of(const std::vector<double>& at, double coarseness) {
  std::vector<std::int64_t> cell;
  for (const double coordinate : at) {
    cell.push_back(std::llround(coordinate / coarseness));
  }
  return cell;
}

class Designer {
 public:
  Designer(std::span<Subject> subjects, const model::OnDemandModels& models, const DesignOptions& options)
      : subjects_(subjects), models_(models), options_(options) {
    double coarseness = options.coarseness;
    while (!place_calls(coarseness)) {
      coarseness *= 1.5;
    }
    prepare();
  }

  std::vector<Pick> choose() {
    static constexpr double margin = 0.8;  // what is measured may tell that less is known than it seemed
    std::vector<Pick> picks;
    if (worst_deviation() <= options_.target) {
      return picks;
    }
    const std::vector<Pick> candidates = all_candidates();
    Seconds spent = 0;
    while (picks.size() < options_.most_picks && worst_deviation() > margin * options_.target) {
      const Pick* best = nullptr;
      double best_value = 0;
      for (const Pick& candidate : candidates) {
        const double candidate_value = value(candidate);
        if (candidate_value > best_value) {
          best = &candidate;
          best_value = candidate_value;
        }
      }
      if (best == nullptr) {
        break;
      }
      spent += best->cost * options_.repetitions;
      if (spent > options_.budget && !picks.empty()) {
        break;
      }
      picks.push_back(*best);
      observe(*best);
    }
    return picks;
  }

 private:
  /// Assigns every call to a point; false if a kernel has too many.
  bool place_calls(double coarseness) {
    designs_.clear();
    locations_.assign(subjects_.size(), {});
    seconds_.assign(subjects_.size(), {});
    for (std::size_t s = 0; s < subjects_.size(); ++s) {
      const Subject& subject = subjects_[s];
      for (std::size_t c = 0; c < subject.trace.calls.size(); ++c) {
        const Call& call = subject.trace.calls[c];
        if (model::returns_at_once(call)) {
          locations_[s].push_back({});
          seconds_[s].push_back(models_.baseline().overhead);
          continue;
        }
        const ModelKey key = models_.key(call);
        KernelDesign& design = designs_[key];
        const auto known = models_.kernels().find(key);
        const std::vector<double> at = known != models_.kernels().end() && known->second.fitted()
                                           ? known->second.place(call, subject.placements[c], models_.baseline())
                                           : model::KernelProcess::coordinates(call, subject.placements[c], models_.baseline());
        const auto [cell, is_new] = design.cells.try_emplace(cell_of(at, coarseness), design.points.size());
        if (is_new) {
          // All calls of a point are expected to relate to their roofs alike: the model is asked once.
          const Seconds roof = model::baseline_time(call, subject.placements[c], models_.baseline());
          design.points.push_back({at, s, c, models_.seconds(call, subject.placements[c]) / roof});
          if (design.points.size() > options_.most_points) {
            return false;
          }
        }
        locations_[s].push_back({&design, cell->second});
        seconds_[s].push_back(design.points[cell->second].ratio * model::baseline_time(call, subject.placements[c], models_.baseline()));
      }
    }
    return true;
  }

  void prepare() {
    const auto subject_count = static_cast<Eigen::Index>(subjects_.size());
    for (auto& [key, design] : designs_) {
      design.shares = Eigen::MatrixXd::Zero(subject_count, static_cast<Eigen::Index>(design.points.size()));
    }
    std::vector<Seconds> totals;
    for (const std::vector<Seconds>& of_calls : seconds_) {
      totals.push_back(std::accumulate(of_calls.begin(), of_calls.end(), 0.0));
    }
    if (options_.weigh) {
      options_.weigh(totals);
    }
    for (std::size_t s = 0; s < subjects_.size(); ++s) {
      for (std::size_t c = 0; c < seconds_[s].size(); ++c) {
        const Location& location = locations_[s][c];
        if (location.design == nullptr) {
          continue;
        }
        location.design->shares(static_cast<Eigen::Index>(s), static_cast<Eigen::Index>(location.point)) +=
            subjects_[s].weight * seconds_[s][c] / totals[s];
      }
    }
    for (auto& [key, design] : designs_) {
      prepare_kernel(key, design);
    }
  }

  void prepare_kernel(const ModelKey& key, KernelDesign& design) {
    const Routine& routine = *subjects_[design.points.front().subject].trace.calls[design.points.front().call].routine;
    const auto count = static_cast<Eigen::Index>(design.points.size());
    model::Process::Points points(count, static_cast<Eigen::Index>(design.points.front().at.size()));
    for (Eigen::Index p = 0; p < count; ++p) {
      for (Eigen::Index d = 0; d < points.cols(); ++d) {
        points(p, d) = design.points[static_cast<std::size_t>(p)].at[static_cast<std::size_t>(d)];
      }
    }
    const auto found = models_.kernels().find(key);
    const bool known = found != models_.kernels().end() && found->second.fitted();
    const model::ProcessParameters parameters = known ? found->second.process().parameters() : model::KernelProcess::prior(routine);
    design.covariance = known ? found->second.process().posterior_covariance(points)
                              : model::Process::prior_covariance(points, model::KernelProcess::coordinate_groups(routine), parameters);
    design.noise = options_.measurement_error * options_.measurement_error;
    design.sensitivity = design.shares * design.covariance;
    design.update_gains();
  }

  std::vector<Pick> all_candidates() {
    std::vector<Pick> candidates;
    for (const auto& [key, design] : designs_) {
      for (const Point& point : design.points) {
        const Subject& subject = subjects_[point.subject];
        if (model::returns_at_once(subject.trace.calls[point.call])) {
          continue;
        }
        Pick pick{point.subject, segment_around(subject.trace, subject.placements, seconds_[point.subject], point.call), 0};
        pick.cost = segment_cost(point.subject, pick.segment);
        if (options_.measured == nullptr || options_.measured->count(pick) == 0) {
          candidates.push_back(pick);
        }
      }
    }
    return candidates;
  }

  /// Executing context and timed calls, and writing and placing their operands beforehand.
  [[nodiscard]] Seconds segment_cost(std::size_t subject, const Segment& segment) const {
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
      const Location& location = locations_[pick.subject][at];
      if (location.design == nullptr) {
        continue;
      }
      if (!location.design->points[location.point].chosen) {
        sum += location.design->gains[static_cast<Eigen::Index>(location.point)];
      }
    }
    return sum / pick.cost;
  }

  void observe(const Pick& pick) {
    std::set<KernelDesign*> changed;
    for (std::size_t at = pick.segment.begin; at < pick.segment.end; ++at) {
      const Location& location = locations_[pick.subject][at];
      if (location.design == nullptr) {
        continue;
      }
      KernelDesign& design = *location.design;
      if (std::exchange(design.points[location.point].chosen, true)) {
        continue;
      }
      const auto p = static_cast<Eigen::Index>(location.point);
      const double scale = 1 / std::sqrt(design.covariance(p, p) + design.noise);
      const Eigen::VectorXd column = design.covariance.col(p) * scale;
      const Eigen::VectorXd change = design.sensitivity.col(p) * scale;
      design.covariance.noalias() -= column * column.transpose();
      design.sensitivity.noalias() -= change * column.transpose();
      changed.insert(&design);
    }
    for (KernelDesign* design : changed) {
      design->update_gains();
    }
  }

  /// Largest relative standard deviation of a subject's total, times its weight.
  [[nodiscard]] double worst_deviation() const {
    Eigen::VectorXd variance = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(subjects_.size()));
    for (const auto& [key, design] : designs_) {
      variance += design.sensitivity.cwiseProduct(design.shares).rowwise().sum();
    }
    return std::sqrt(std::max(0.0, variance.maxCoeff()));
  }

  std::span<Subject> subjects_;
  std::vector<std::vector<Seconds>> seconds_;  ///< of every subject's every call, expected
  const model::OnDemandModels& models_;
  DesignOptions options_;
  Designs designs_;
  std::vector<std::vector<Location>> locations_;  ///< of every subject's every call
};

}  // namespace

std::vector<Pick> choose_segments(std::span<Subject> subjects, const model::OnDemandModels& models, const DesignOptions& options) {
  if (subjects.empty()) {
    return {};
  }
  return Designer(subjects, models, options).choose();
}

}  // namespace flopcast::tune
