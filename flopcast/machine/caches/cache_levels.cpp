#include "flopcast/machine/caches/cache_levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "flopcast/core/statistics.hpp"

namespace flopcast::machine {
namespace {

constexpr double strong_step = 2;  // ratio of costs that is a level whatever the system reports
constexpr double widest_pair = 8;  // chase and triad see the same elastic level up to this far apart
constexpr double agreement = 2;
constexpr double endless = 1e300;
constexpr std::size_t memory_points = 3;  // of the curve's end, where it has no knee

double step(const Knee& knee) { return knee.after / knee.before; }

/// Joins the knee of least `strength` to its neighbour, until there are no more than `reported`, or all are strong and no more than
/// max_cache_levels.
template <class Strength>
void keep_credible(std::vector<Knee>& knees, std::size_t reported, Strength strength) {
  while ((knees.size() > reported && reported > 0) || knees.size() > max_cache_levels) {
    const std::vector<double> strengths = strength(knees);
    const auto weakest = std::min_element(strengths.begin(), strengths.end());
    if (*weakest >= strong_step && knees.size() <= max_cache_levels) {
      break;
    }
    knees.erase(knees.begin() + (weakest - strengths.begin()));
  }
}

std::vector<double> steps(const std::vector<Knee>& knees) {
  std::vector<double> all(knees.size());
  std::transform(knees.begin(), knees.end(), all.begin(), step);
  return all;
}

/// Returns the knees of a chase. Its weak knees may lie nearer to the level's knee in the triad than to its own.
std::vector<Knee> credible_knees(std::span<const CurvePoint> curve, std::size_t reported) {
  std::vector<Knee> knees = find_knees(curve);
  keep_credible(knees, reported, steps);
  return knees;
}

/// Median height of the curve's points between two working sets, or of its last ones if there are none. The height of a curve without points
/// is 0: on a busy machine, the time for chases may end before their first point.
double typical_height(std::span<const CurvePoint> curve, double low, double high) {
  std::vector<double> heights;
  for (const CurvePoint& point : curve) {
    if (point.x > low && point.x < high) {
      heights.push_back(point.y);
    }
  }
  for (std::size_t i = curve.size(); heights.size() < memory_points && i-- > 0;) {
    heights.push_back(curve[i].y);
  }
  return heights.empty() ? 0 : median(heights);
}

/// Returns for every measured level the index of the cache that the system reports for it, -1 for none. Where the system reports more caches
/// than there are levels, sizes decide; otherwise its own numbers of the levels do.
std::vector<int> counterparts(std::span<const ReportedCache> reported, std::span<const Knee> levels) {
  if (reported.size() > levels.size()) {
    std::vector<Knee> sizes;
    for (const ReportedCache& cache : reported) {
      sizes.emplace_back().position = static_cast<double>(cache.bytes);
    }
    return pair_knees(levels, sizes, endless);
  }
  std::vector<int> found(levels.size(), -1);
  for (std::size_t i = 0; i < reported.size(); ++i) {
    const auto level = static_cast<std::size_t>(reported[i].level);
    if (level >= 1 && level <= found.size()) {
      found[level - 1] = static_cast<int>(i);
    }
  }
  return found;
}

/// Pairs of the triad's knees with those of another pattern.
class PairedKnees {
 public:
  PairedKnees(std::span<const Knee> triad, const std::vector<Knee>& knees)
      : knees_(knees), partners_(pair_knees(triad, knees, widest_pair)) {}
  /// Returns the partner of the triad's i-th knee; nullptr if it has none.
  [[nodiscard]] const Knee* of(std::size_t i) const { return partners_[i] < 0 ? nullptr : &knees_[static_cast<std::size_t>(partners_[i])]; }

 private:
  const std::vector<Knee>& knees_;
  std::vector<int> partners_;
};

/// Returns a knee for the triad where only the chase has one: the triad's cost stays the same there.
Knee flat_knee(const std::vector<Knee>& triad, const Knee& chase, double flat) {
  const auto behind = std::find_if(triad.begin(), triad.end(), [&](const Knee& knee) { return knee.position > chase.position; });
  const double cost = behind != triad.end() ? behind->before : triad.empty() ? flat : triad.back().after;
  return {chase.position, chase.low, chase.high, cost, cost};
}

/// Adds levels that streams don't notice at all, because they are prefetched from the next one; both chases must see them.
void add_unnoticed(std::vector<Knee>& triad, const std::vector<Knee>& chase, const std::vector<Knee>& parallel, std::size_t reported,
                   double flat) {
  const auto seen_by = [](const std::vector<Knee>& pattern, const Knee& knee) {
    return std::any_of(pattern.begin(), pattern.end(), [&](const Knee& other) {
      return step(other) >= strong_step && other.position < agreement * knee.position && knee.position < agreement * other.position;
    });
  };
  const auto nearer = [](const Knee& a, const Knee& b) { return a.position < b.position; };
  const std::vector<int> partners = pair_knees(chase, triad, widest_pair);
  for (std::size_t i = 0; i < chase.size() && triad.size() < std::min(reported, max_cache_levels); ++i) {
    if (partners[i] < 0 && step(chase[i]) >= strong_step && seen_by(parallel, chase[i])) {
      const Knee added = flat_knee(triad, chase[i], flat);
      triad.insert(std::upper_bound(triad.begin(), triad.end(), added, nearer), added);
    }
  }
}

/// Returns the levels. A level that streams hardly notice, as they are prefetched from the next one, counts if chases see it.
std::vector<Knee> levels_of(const CacheSweep& sweep, const std::vector<Knee>& chase, const std::vector<Knee>& parallel,
                            std::size_t reported) {
  std::vector<Knee> triad = find_knees(sweep.triad);
  keep_credible(triad, reported, [&](const std::vector<Knee>& left) {
    std::vector<double> strengths = steps(left);
    for (const std::vector<Knee>* pattern : {&chase, &parallel}) {
      const PairedKnees paired(left, *pattern);
      for (std::size_t i = 0; i < left.size(); ++i) {
        strengths[i] = std::max(strengths[i], paired.of(i) != nullptr ? step(*paired.of(i)) : 0);
      }
    }
    return strengths;
  });
  add_unnoticed(triad, chase, parallel, reported, typical_height(sweep.triad, 0, endless));
  return triad;
}

std::int64_t position(const Knee* knee) { return knee == nullptr ? 0 : std::llround(knee->position); }

CacheLevel level_from(const Knee& triad, const Knee* chase, const Knee* parallel, bool last) {
  CacheLevel level;
  double capacity = triad.position, low = triad.low, high = triad.high;
  if (chase != nullptr) {
    const double ratio = chase->position / triad.position;
    const bool agree = ratio < agreement && ratio > 1 / agreement;
    const double steeper = step(*chase) > step(triad) ? chase->position : triad.position;
    if (!last) {
      capacity = agree ? std::sqrt(triad.position * chase->position) : steeper;
    }
    low = std::min(low, chase->low);
    high = std::max(high, chase->high);
  }
  if (parallel != nullptr) {
    low = std::min(low, parallel->low);
    high = std::max(high, parallel->high);
  }
  level.capacity_bytes = std::llround(capacity);
  level.capacity_low_bytes = std::llround(low);
  level.capacity_high_bytes = std::llround(high);
  level.bandwidth = 1 / triad.before;
  return level;
}

}  // namespace

std::vector<int> pair_knees(std::span<const Knee> first, std::span<const Knee> second, double widest) {
  // Score of the best pairing of the first i and j knees: pairs made, and the sum of their distances, negated so that more is better.
  using Score = std::pair<int, double>;
  std::vector<std::vector<Score>> best(first.size() + 1, std::vector<Score>(second.size() + 1, Score{0, 0.0}));
  const auto joined = [&](std::size_t i, std::size_t j) {
    const double distance = std::fabs(std::log(first[i].position / second[j].position));
    return distance <= std::log(widest) ? Score{best[i][j].first + 1, best[i][j].second - distance} : Score{-1, 0.0};
  };
  for (std::size_t i = 0; i < first.size(); ++i) {
    for (std::size_t j = 0; j < second.size(); ++j) {
      best[i + 1][j + 1] = std::max({joined(i, j), best[i][j + 1], best[i + 1][j]});
    }
  }
  std::vector<int> partners(first.size(), -1);
  for (std::size_t i = first.size(), j = second.size(); i > 0 && j > 0;) {
    if (best[i][j] == best[i - 1][j]) {
      --i;
    } else if (best[i][j] == best[i][j - 1]) {
      --j;
    } else {
      partners[--i] = static_cast<int>(--j);
    }
  }
  return partners;
}

MemoryHierarchy cache_levels(const CacheSweep& sweep, std::span<const ReportedCache> reported) {
  const std::vector<Knee> serial_knees = credible_knees(sweep.chase, reported.size());
  const std::vector<Knee> parallel_knees = credible_knees(sweep.parallel_chase, reported.size());
  const std::vector<Knee> triad = levels_of(sweep, serial_knees, parallel_knees, reported.size());
  const PairedKnees chase(triad, serial_knees), parallel(triad, parallel_knees);
  const std::vector<int> caches = counterparts(reported, triad);
  MemoryHierarchy result;
  double inner = 0;
  for (std::size_t i = 0; i < triad.size(); ++i) {
    const Knee* partner = chase.of(i);
    CacheLevel level = level_from(triad[i], partner, parallel.of(i), i + 1 == triad.size());
    level.name = fmt::format("L{}", i + 1);
    level.latency_seconds = partner != nullptr ? partner->before : typical_height(sweep.chase, inner, triad[i].low);
    if (caches[i] >= 0) {
      const ReportedCache& cache = reported[static_cast<std::size_t>(caches[i])];
      level.reported_bytes = cache.bytes;
      level.line_bytes = cache.line_bytes > 0 ? cache.line_bytes : level.line_bytes;
      level.associativity = cache.associativity;
    }
    inner = static_cast<double>(level.capacity_high_bytes);
    result.levels.push_back(std::move(level));
    result.patterns.push_back({std::llround(triad[i].position), position(parallel.of(i)), position(partner)});
  }
  const double outermost = triad.empty() ? 0 : triad.back().high;
  result.memory_bandwidth = 1 / typical_height(sweep.triad, outermost, endless);
  result.memory_latency = typical_height(sweep.chase, inner, endless);
  return result;
}

}  // namespace flopcast::machine
