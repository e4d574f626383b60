#include "flopcast/tune/design.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace flopcast::tune {
namespace {

/// Coordinates in steps of `widths`, as a key.
using Cell = std::vector<std::int64_t>;

Cell cell_of(const std::vector<double>& at, const std::vector<double>& widths) {
  Cell cell;
  cell.reserve(at.size());
  for (std::size_t d = 0; d < at.size(); ++d) {
    cell.push_back(std::llround(at[d] / widths[d]));
  }
  return cell;
}

/// All calls of a kernel whose sizes and levels are the same: one observation tells all about them.
struct Place {
  std::vector<double> at;
  std::size_t subject = 0, call = 0;                   ///< the first of its calls
  std::size_t point = 0;                               ///< that it belongs to
  double deviation = 0;                                ///< variance of its own (the nugget)
  std::vector<std::pair<std::size_t, double>> shares;  ///< subject, weighted share of its time; ascending subjects
  bool known = false;                                  ///< observed, or chosen to be
};

/// Places that are alike within the coarseness: what is smooth in the model is the same for them.
struct Point {
  std::size_t first = 0;            ///< the place that stands for it
  double ratio = 1;                 ///< of its expected time to its roof
  std::vector<std::size_t> places;  ///< those that nobody knows yet, the one with most time last
};

/// A kernel's points, the posterior covariance of the model's smooth part at them, and how the subjects' totals depend on them. A place's
/// time is the smooth part and a deviation of its own (the nugget); once it was observed both are known, and its share is taken out.
struct KernelDesign {
  std::vector<Place> places;
  std::map<Cell, std::size_t> place_at;
  std::vector<Point> points;
  Eigen::MatrixXd shares;           ///< subjects x points: weighted share of the subject's time, of the places not known
  Eigen::MatrixXd covariance;       ///< points x points
  Eigen::MatrixXd sensitivity;      ///< shares * covariance
  Eigen::MatrixXd next;             ///< subjects x points: covariance of the totals with the deviation of the place that comes next
  Eigen::VectorXd next_deviations;  ///< of every point: variance of that place's deviation and of its observation
  Eigen::VectorXd deviations;       ///< of every subject: variance by the deviations of the places not known
  Eigen::VectorXd gains;            ///< of every point: variance that observing its next place takes away from all open totals together
  double noise = 0;                 ///< variance of one observation

  /// `open`: 1 for every subject that isn't known well enough yet, else 0.
  void update_gains(const Eigen::VectorXd& open) {
    gains = ((sensitivity + next).cwiseAbs2().transpose() * open).array() / (covariance.diagonal() + next_deviations).array();
  }

  /// Of every subject's total: what this kernel leaves uncertain.
  [[nodiscard]] Eigen::VectorXd variances() const { return sensitivity.cwiseProduct(shares).rowwise().sum() + deviations; }

  /// Writes what `next` and `next_deviations` say of what is now the last of the point's places.
  void update_next(std::size_t point) {
    const auto column = static_cast<Eigen::Index>(point);
    next.col(column).setZero();
    next_deviations[column] = noise;
    if (points[point].places.empty()) {
      return;
    }
    const Place& place = places[points[point].places.back()];
    next_deviations[column] += place.deviation;
    for (const auto& [subject, share] : place.shares) {
      next(static_cast<Eigen::Index>(subject), column) = place.deviation * share;
    }
  }
};

using Designs = std::map<ModelKey, KernelDesign>;

/// Where a call of a subject went: its kernel and place; nowhere if it returns at once.
struct Location {
  KernelDesign* design = nullptr;
  std::size_t place = 0;
};

/// What might be measured for a point.
struct Candidate {
  Pick pick;
  KernelDesign* design = nullptr;
  std::size_t point = 0;
  std::optional<std::size_t> place;  ///< the one that the pick is for; nothing if none is left
};

class Designer {
 public:
  Designer(std::span<Subject> subjects, const model::OnDemandModels& models, const DesignOptions& options)
      : subjects_(subjects), models_(models), options_(options), open_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(subjects.size()))) {
    find_places();
    for (auto& [key, design] : designs_) {
      find_points(key, design);
    }
    expect_seconds();
    find_shares();
    for (auto& [key, design] : designs_) {
      prepare_kernel(key, design);
    }
  }

  std::vector<Pick> choose() {
    static constexpr double margin = 0.8;  // what is measured may tell that less is known than it seemed
    std::vector<Pick> picks;
    if (!any_beyond(options_.target)) {
      return picks;
    }
    std::vector<Candidate> candidates = all_candidates();
    Seconds spent = 0;
    while (picks.size() < options_.most_picks && any_beyond(margin * options_.target)) {
      const Candidate* best = nullptr;
      double best_value = 0;
      for (Candidate& candidate : candidates) {
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

 private:
  [[nodiscard]] const model::KernelProcess* fitted(const ModelKey& key) const {
    const auto found = models_.kernels().find(key);
    return found != models_.kernels().end() && found->second.fitted() ? &found->second : nullptr;
  }

  [[nodiscard]] const Routine& routine_of(const KernelDesign& design) const {
    const Place& place = design.places.front();
    return *subjects_[place.subject].trace.calls[place.call].routine;
  }

  /// A kernel's hyperparameters and the groups of its coordinates; what is assumed of it if it was never measured.
  [[nodiscard]] std::pair<model::ProcessParameters, std::vector<int>> process_of(const ModelKey& key, const KernelDesign& design) const {
    if (const model::KernelProcess* known = fitted(key)) {
      return {known->process().parameters(), known->process().groups()};
    }
    const Routine& routine = routine_of(design);
    return {model::KernelProcess::prior(routine), model::KernelProcess::coordinate_groups(routine)};
  }

  /// Assigns every call to a place.
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
        std::vector<double> at = known != nullptr ? known->place(call, subject.placements[c], models_.baseline())
                                                  : model::KernelProcess::coordinates(call, subject.placements[c], models_.baseline());
        const auto [place, is_new] = design.place_at.try_emplace(exact_cell(at), design.places.size());
        if (is_new) {
          design.places.push_back({std::move(at), s, c, 0, 0, {}, false});
        }
        locations_[s].push_back({&design, place->second});
      }
    }
    for (auto& [key, design] : designs_) {
      if (const model::KernelProcess* known = fitted(key)) {
        for (const std::vector<double>& at : known->observed_places()) {
          if (const auto place = design.place_at.find(exact_cell(at)); place != design.place_at.end()) {
            design.places[place->second].known = true;
          }
        }
      }
    }
  }

  static Cell exact_cell(const std::vector<double>& at) {
    static constexpr double rounding = 1e-6;
    return cell_of(at, std::vector<double>(at.size(), rounding));
  }

  /// Takes places together until there are few enough points.
  void find_points(const ModelKey& key, KernelDesign& design) {
    static constexpr double growth = 1.5;
    const auto [parameters, groups] = process_of(key, design);
    const std::vector<double> lengths = model::coordinate_lengths(parameters, groups);
    for (double coarseness = options_.coarseness; !group_places(design, lengths, coarseness);) {
      coarseness *= growth;
    }
    for (Point& point : design.points) {
      const Place& first = design.places[point.first];
      const Subject& subject = subjects_[first.subject];
      const Call& call = subject.trace.calls[first.call];
      const Placement& placement = subject.placements[first.call];
      point.ratio = models_.seconds(call, placement) / model::baseline_time(call, placement, models_.baseline());
    }
  }

  /// False if there are too many points.
  bool group_places(KernelDesign& design, const std::vector<double>& lengths, double coarseness) const {
    std::vector<double> widths;
    for (const double length : lengths) {
      widths.push_back(coarseness * length);
    }
    std::map<Cell, std::size_t> cells;
    design.points.clear();
    for (std::size_t p = 0; p < design.places.size(); ++p) {
      const auto [cell, is_new] = cells.try_emplace(cell_of(design.places[p].at, widths), design.points.size());
      if (is_new) {
        if (design.points.size() == options_.most_points) {
          return false;
        }
        design.points.push_back({p, 1, {}});
      }
      design.places[p].point = cell->second;
      if (!design.places[p].known) {
        design.points[cell->second].places.push_back(p);
      }
    }
    return true;
  }

  /// All calls of a point are expected to relate to their roofs alike: the model was asked once.
  void expect_seconds() {
    seconds_.resize(subjects_.size());
    for (std::size_t s = 0; s < subjects_.size(); ++s) {
      const Subject& subject = subjects_[s];
      for (std::size_t c = 0; c < subject.trace.calls.size(); ++c) {
        const Location& location = locations_[s][c];
        seconds_[s].push_back(location.design == nullptr
                                  ? models_.baseline().overhead
                                  : location.design->points[location.design->places[location.place].point].ratio *
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
        const Location& location = locations_[s][c];
        if (location.design == nullptr) {
          continue;
        }
        std::vector<std::pair<std::size_t, double>>& shares = location.design->places[location.place].shares;
        if (shares.empty() || shares.back().first != s) {
          shares.emplace_back(s, 0);
        }
        shares.back().second += subjects_[s].weight * seconds_[s][c] / totals[s];
      }
    }
  }

  void prepare_kernel(const ModelKey& key, KernelDesign& design) {
    const auto count = static_cast<Eigen::Index>(design.points.size());
    const auto subject_count = static_cast<Eigen::Index>(subjects_.size());
    model::Process::Points points(count, static_cast<Eigen::Index>(design.places.front().at.size()));
    for (Eigen::Index p = 0; p < count; ++p) {
      const std::vector<double>& at = design.places[design.points[static_cast<std::size_t>(p)].first].at;
      points.row(p) = Eigen::Map<const Eigen::RowVectorXd>(at.data(), points.cols());
    }
    const model::KernelProcess* known = fitted(key);
    const auto [parameters, groups] = process_of(key, design);
    design.covariance =
        known != nullptr ? known->process().smooth_covariance(points) : model::Process::prior_smooth_covariance(points, groups, parameters);
    design.noise = options_.measurement_error * options_.measurement_error;
    design.shares = Eigen::MatrixXd::Zero(subject_count, count);
    design.deviations = Eigen::VectorXd::Zero(subject_count);
    for (Place& place : design.places) {
      const double deviation = model::Process::nugget(place.at.data(), groups, parameters);
      place.deviation = deviation * deviation;
      if (!place.known) {
        add_shares(design, place, 1);
      }
    }
    for (Point& point : design.points) {
      const auto weight = [&](std::size_t place) {
        double sum = 0;
        for (const auto& [subject, share] : design.places[place].shares) {
          sum += share * share;
        }
        return sum;
      };
      std::stable_sort(point.places.begin(), point.places.end(), [&](std::size_t a, std::size_t b) { return weight(a) < weight(b); });
    }
    design.sensitivity = design.shares * design.covariance;
    design.next = Eigen::MatrixXd::Zero(subject_count, count);
    design.next_deviations = Eigen::VectorXd::Zero(count);
    for (std::size_t p = 0; p < design.points.size(); ++p) {
      design.update_next(p);
    }
  }

  /// Adds `sign` times what the totals depend on a place that isn't known.
  static void add_shares(KernelDesign& design, const Place& place, double sign) {
    for (const auto& [subject, share] : place.shares) {
      const auto s = static_cast<Eigen::Index>(subject);
      design.shares(s, static_cast<Eigen::Index>(place.point)) += sign * share;
      design.deviations[s] += sign * place.deviation * share * share;
    }
  }

  std::vector<Candidate> all_candidates() {
    std::vector<Candidate> candidates;
    for (auto& [key, design] : designs_) {
      for (std::size_t p = 0; p < design.points.size(); ++p) {
        candidates.push_back({{}, &design, p, {}});
      }
    }
    return candidates;
  }

  /// The stretch around the next place of the candidate's point; none of those that were measured already, though with nothing to show.
  void renew(Candidate& candidate) {
    Point& point = candidate.design->points[candidate.point];
    for (; !point.places.empty(); point.places.pop_back()) {
      const std::size_t next = point.places.back();
      if (candidate.place == next) {
        return;
      }
      const Place& place = candidate.design->places[next];
      const Subject& subject = subjects_[place.subject];
      Pick pick{place.subject, segment_around(subject.trace, subject.placements, seconds_[place.subject], place.call), 0};
      if (options_.measured == nullptr || options_.measured->count(pick) == 0) {
        pick.cost = segment_cost(pick.subject, pick.segment);
        candidate.pick = pick;
        candidate.place = next;
        return;
      }
    }
    candidate.place.reset();
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
      const Place& place = location.design->places[location.place];
      if (!place.known) {
        sum += location.design->gains[static_cast<Eigen::Index>(place.point)];
      }
    }
    return sum / pick.cost;
  }

  void observe(const Pick& pick) {
    std::set<KernelDesign*> changed;
    for (std::size_t at = pick.segment.begin; at < pick.segment.end; ++at) {
      const Location& location = locations_[pick.subject][at];
      if (location.design != nullptr && !location.design->places[location.place].known) {
        observe(*location.design, location.place);
        changed.insert(location.design);
      }
    }
    for (KernelDesign* design : changed) {
      design->update_gains(open_);
    }
  }

  static void observe(KernelDesign& design, std::size_t observed) {
    Place& place = design.places[observed];
    const auto p = static_cast<Eigen::Index>(place.point);
    const double scale = 1 / std::sqrt(design.covariance(p, p) + place.deviation + design.noise);
    const Eigen::VectorXd column = design.covariance.col(p) * scale;
    Eigen::VectorXd change = design.sensitivity.col(p) * scale;
    for (const auto& [subject, share] : place.shares) {
      change[static_cast<Eigen::Index>(subject)] += (place.deviation + design.noise) * share * scale;
    }
    design.covariance.noalias() -= column * column.transpose();
    design.sensitivity.noalias() -= change * column.transpose();
    add_shares(design, place, -1);
    place.known = true;
    std::vector<std::size_t>& places = design.points[place.point].places;
    places.erase(std::remove(places.begin(), places.end(), observed), places.end());
    design.update_next(place.point);
  }

  /// Whether the relative standard deviation of any subject's total, times its weight, is beyond `limit`: those subjects are open now.
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
  std::vector<std::vector<Seconds>> seconds_;  ///< of every subject's every call, expected
  const model::OnDemandModels& models_;
  DesignOptions options_;
  Designs designs_;
  Eigen::VectorXd open_;                          ///< of every subject: 1 if it isn't known well enough yet, else 0
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
