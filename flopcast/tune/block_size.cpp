#include "flopcast/tune/block_size.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/predict/predicted_interval.hpp"
#include "flopcast/tune/unconsidered.hpp"

namespace flopcast::tuning {
namespace {

/// A problem, one of its alternatives, and their subject.
struct ForecastEntry {
  std::size_t problem = 0;
  Alternative alternative;
  bool is_default = false;
};

/// A candidate without a forecast.
struct Guess {
  Alternative alternative;
  GuessedTime time;
};

std::int64_t calls_of(const model::Total& total) {
  return std::accumulate(total.parts.begin(), total.parts.end(), std::int64_t{0},
                         [](std::int64_t calls, const auto& part) { return calls + part.second.calls; });
}

double octave_of(std::int64_t size) { return std::log2(static_cast<double>(std::max<std::int64_t>(size, 1))); }

bool same(const Alternative& a, const Alternative& b) {
  return a.variant == b.variant && a.blocks.nb == b.blocks.nb && a.blocks.nx == b.blocks.nx;
}

/// Problem and variant, for which one block size is the best.
using Group = std::pair<std::size_t, std::string>;
Group group_of(const ForecastEntry& entry) { return {entry.problem, entry.alternative.variant}; }

/// Returns the alternatives of each variant, sorted by block size.
std::map<std::string, std::vector<Alternative>> by_variant(const std::vector<Alternative>& alternatives) {
  std::map<std::string, std::vector<Alternative>> groups;
  for (const Alternative& alternative : alternatives) {
    groups[alternative.variant].push_back(alternative);
  }
  for (auto& [variant, group] : groups) {
    std::stable_sort(group.begin(), group.end(), [](const Alternative& a, const Alternative& b) { return a.blocks.nb < b.blocks.nb; });
  }
  return groups;
}

/// Returns at most `most` of the values, first and last included; all if `most` is 0.
std::vector<Alternative> spread(const std::vector<Alternative>& all, std::size_t most) {
  if (most == 0 || all.size() <= most || most == 1) {
    return all;
  }
  std::vector<Alternative> some;
  for (std::size_t i = 0; i < most; ++i) {
    some.push_back(all[(i * (all.size() - 1) + (most - 1) / 2) / (most - 1)]);
  }
  return some;
}

/// Returns the alternatives in an order in which each lies as many octaves as possible from those before it, and from block size `first`.
/// Wherever recording ends, what was recorded is spread evenly.
std::vector<Alternative> farthest_first(const std::vector<Alternative>& all, std::int64_t first) {
  std::vector<double> distances;
  for (const Alternative& alternative : all) {
    distances.push_back(std::fabs(octave_of(alternative.blocks.nb) - octave_of(first)));
  }
  std::vector<Alternative> ordered;
  while (ordered.size() < all.size()) {
    const auto farthest = static_cast<std::size_t>(std::max_element(distances.begin(), distances.end()) - distances.begin());
    ordered.push_back(all[farthest]);
    for (std::size_t i = 0; i < all.size(); ++i) {
      distances[i] = std::min(distances[i], std::fabs(octave_of(all[i].blocks.nb) - octave_of(ordered.back().blocks.nb)));
    }
    distances[farthest] = -1;
  }
  return ordered;
}

class Tuner {
 public:
  Tuner(std::span<const Problem> problems, const Environment& environment, model::OnDemandModels& models, const BlockSizeServices& services,
        const BlockSizeOptions& options)
      : problems_(problems), models_(models), services_(services), options_(options), sampler_(environment, models, services.sampling) {}

  BlockSizeResult run() {
    record();
    sample_coarsely();
    if (options_.coarse_blocks > 0) {
      add_neighbours();
    }
    if (options_.tune_crossover) {
      add_crossovers();
    }
    result_.complete = sampler_.refine(subjects_, options_.target, options_.time_budget - time_to_decide_,
                                       [this](std::span<const Seconds> totals) { weigh(totals); });
    result_.cost = sampler_.cost();
    if (!interrupted()) {
      decide();
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool interrupted() const { return services_.sampling.interrupted(); }

  void add(std::size_t problem, const Alternative& alternative, bool is_default) {
    Subject subject;
    subject.trace = services_.trace(problems_[problem].call, alternative);
    subject.placements = services_.placements(subject.trace);
    subjects_.push_back(std::move(subject));
    entries_.push_back({problem, alternative, is_default});
  }

  /// Recording and following the caches takes a part of the time. When `until` is reached, each variant keeps its present alternatives.
  void add_if_new(std::size_t problem, const Alternative& alternative, Seconds until) {
    const auto of_problem = [problem](const ForecastEntry& other) { return other.problem == problem; };
    const auto of_variant = [&](const ForecastEntry& other) {
      return of_problem(other) && other.alternative.variant == alternative.variant;
    };
    const auto known = [&](const ForecastEntry& other) { return of_problem(other) && same(other.alternative, alternative); };
    if (std::any_of(entries_.begin(), entries_.end(), known)) {
      return;
    }
    if (interrupted() || (services_.sampling.elapsed() > until && std::any_of(entries_.begin(), entries_.end(), of_variant))) {
      missed_.push_back({problem, alternative, false});
    } else {
      add(problem, alternative, false);
    }
  }

  /// Returns the time at which adding alternatives ends, because there must be time left to measure them. Less is measured where samples of
  /// earlier runs tell the times already. Without any time nothing is measured, and the earlier samples decide among all.
  [[nodiscard]] Seconds end_of_adding(double share) const {
    if (options_.time_budget <= 0) {
      return std::numeric_limits<Seconds>::infinity();
    }
    return options_.time_budget * (is_known_ ? (1 + share) / 2 : share);
  }

  /// Records the default and one block size of each variant of every problem, then one more of each, and so on.
  void record() {
    static constexpr double share = 0.3;  // of the time
    std::vector<std::pair<std::size_t, std::vector<Alternative>>> groups;
    std::size_t rounds = 0;
    for (std::size_t p = 0; p < problems_.size(); ++p) {
      const std::optional<Alternative>& usual = problems_[p].default_;
      if (usual && !interrupted()) {
        add(p, *usual, true);
      }
      for (const auto& [variant, group] : by_variant(problems_[p].alternatives)) {
        const std::int64_t first = usual && usual->variant == variant ? usual->blocks.nb : group[group.size() / 2].blocks.nb;
        groups.emplace_back(p, farthest_first(spread(group, options_.coarse_blocks), first));
        rounds = std::max(rounds, groups.back().second.size());
      }
    }
    for (std::size_t round = 0; round < rounds; ++round) {
      for (const auto& [p, group] : groups) {
        if (round < group.size()) {
          add_if_new(p, group[round], end_of_adding(share));
        }
      }
      is_known_ = round == 0 ? all_known() : is_known_;
    }
  }

  /// Returns whether earlier samples cover the first alternative of every problem, which is the default if there is one.
  [[nodiscard]] bool all_known() const {
    static constexpr double max_unknown = 0.2;  // of each total
    if (models_.kernels().empty() || interrupted()) {
      return false;
    }
    std::set<std::size_t> seen;
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      if (seen.insert(entries_[e].problem).second) {
        const model::Total total = models_.total(subjects_[e].trace.calls, subjects_[e].placements);
        if (total.extrapolated + total.unmodelled > max_unknown * total.seconds) {
          return false;
        }
      }
    }
    return true;
  }

  /// Samples all alternatives equally. With several variants a coarse round comes first, which shows the hopeless ones.
  void sample_coarsely() {
    static constexpr double coarse_share = 0.4;  // share of the time
    static constexpr double glance_share = 0.15, glance_target = 0.08;
    const bool one_variant = std::all_of(entries_.begin(), entries_.end(),
                                         [&](const ForecastEntry& e) { return e.alternative.variant == entries_[0].alternative.variant; });
    if (one_variant) {
      sampler_.refine(subjects_, options_.coarse_target, options_.time_budget * coarse_share);
      return;
    }
    sampler_.refine(subjects_, glance_target, options_.time_budget * glance_share);
    sampler_.refine(subjects_, options_.coarse_target, options_.time_budget * coarse_share,
                    [this](std::span<const Seconds> totals) { weigh_variants(totals); });
  }

  std::vector<model::Total> totals() const {
    std::vector<model::Total> all;
    all.reserve(subjects_.size());
    for (const Subject& subject : subjects_) {
      all.push_back(interrupted() ? model::Total() : models_.total(subject.trace.calls, subject.placements));
    }
    return all;
  }

  /// Predicts the seconds of every entry. The time that this takes gives an estimate of the time for deciding.
  std::vector<Seconds> predicted_seconds() {
    static constexpr double deciding = 3;  // ratio of both times: deciding also needs variances of the compared entries
    const Seconds begin = services_.sampling.elapsed();
    std::vector<Seconds> all;
    for (const model::Total& total : totals()) {
      all.push_back(total.seconds);
    }
    time_to_decide_ = std::max(time_to_decide_, deciding * (services_.sampling.elapsed() - begin));
    return all;
  }

  std::vector<Seconds> best_of_problems(std::span<const Seconds> seconds) const {
    std::vector<Seconds> best(problems_.size(), INFINITY);
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      best[entries_[e].problem] = std::min(best[entries_[e].problem], seconds[e]);
    }
    return best;
  }

  std::map<Group, Seconds> best_of_groups(std::span<const Seconds> seconds) const {
    std::map<Group, Seconds> best;
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      const auto [at, is_new] = best.try_emplace(group_of(entries_[e]), seconds[e]);
      at->second = std::min(at->second, seconds[e]);
    }
    return best;
  }

  /// Sets the weights of the first round: variants that are far behind count little.
  void weigh_variants(std::span<const Seconds> seconds) {
    static constexpr double far = 0.3, weight_of_far = 0.3;
    const std::vector<Seconds> best = best_of_problems(seconds);
    const std::map<Group, Seconds> best_of_group = best_of_groups(seconds);
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      const double behind = best_of_group.at(group_of(entries_[e])) / best[entries_[e].problem] - 1;
      subjects_[e].weight = entries_[e].is_default || behind < far ? 1 : weight_of_far;
    }
  }

  /// Returns a weight between 0 and 1 for how far a total lies within the contenders' margin.
  [[nodiscard]] double closeness(double behind) const {
    return std::exp(-behind * behind / (2 * options_.contender_margin * options_.contender_margin));
  }

  /// Returns the weight of a variant's best block size: 1 if it may be the best of all, 1/2 if another variant is so near that their order is
  /// undecided.
  [[nodiscard]] double importance(const Group& group, const std::map<Group, Seconds>& best_of_group, Seconds best) const {
    static constexpr double open_order = 0.5;
    const Seconds own = best_of_group.at(group);
    double importance = closeness(own / best - 1);
    for (const auto& [other, seconds] : best_of_group) {
      if (other.first == group.first && other != group) {
        importance = std::max(importance, open_order * closeness(std::fabs(std::log(own / seconds))));
      }
    }
    return importance;
  }

  /// Sets the weights of the final rounds: contenders and defaults count fully, hopeless alternatives hardly.
  void weigh(std::span<const Seconds> seconds) {
    static constexpr double hopeless = 0.15;
    const std::vector<Seconds> best = best_of_problems(seconds);
    const std::map<Group, Seconds> best_of_group = best_of_groups(seconds);
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      const Group group = group_of(entries_[e]);
      const double within = closeness(seconds[e] / best_of_group.at(group) - 1);
      subjects_[e].weight = entries_[e].is_default ? 1 : std::max(hopeless, importance(group, best_of_group, best[group.first]) * within);
    }
  }

  /// Returns the block sizes around the best ones so far, without those of hopeless variants.
  void add_neighbours() {
    static constexpr double hopeless = 0.5, share = 0.6;
    const std::vector<Seconds> seconds = predicted_seconds();
    const std::vector<Seconds> best = best_of_problems(seconds);
    const std::map<Group, Seconds> best_of_group = best_of_groups(seconds);
    for (std::size_t p = 0; p < problems_.size(); ++p) {
      for (const auto& [variant, group] : by_variant(problems_[p].alternatives)) {
        const auto best_of_variant = best_of_group.find({p, variant});
        if (best_of_variant == best_of_group.end() || best_of_variant->second > (1 + hopeless) * best[p]) {
          continue;
        }
        const auto [low, high] = around_best(p, variant, seconds);
        for (const Alternative& alternative : group) {
          if (alternative.blocks.nb > low && alternative.blocks.nb < high) {
            add_if_new(p, alternative, end_of_adding(share));
          }
        }
      }
    }
  }

  /// Returns the next smaller and next larger known block size of a variant's best one.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> around_best(std::size_t problem, const std::string& variant,
                                                                  std::span<const Seconds> seconds) const {
    std::map<std::int64_t, Seconds> known;
    for (std::size_t e = 0; e < seconds.size(); ++e) {
      if (entries_[e].problem == problem && entries_[e].alternative.variant == variant) {
        known[entries_[e].alternative.blocks.nb] = seconds[e];
      }
    }
    const auto best = std::min_element(known.begin(), known.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    const auto next = std::next(best);
    return {best == known.begin() ? 0 : std::prev(best)->first, next == known.end() ? best->first : next->first};
  }

  /// Returns how much slower than the best a block size may be with the default crossover and still be the best with another crossover. The
  /// crossover concerns the last nx columns: the whole of a small problem, where block sizes differ only below it, and hardly any part of a
  /// large one.
  [[nodiscard]] double near_enough(std::size_t problem) const {
    constexpr double least = 0.02, most = 0.25;
    const std::vector<std::int64_t> sizes = kernel::distinguishing_sizes(problems_[problem].call);
    if (sizes.empty() || options_.crossovers.empty()) {
      return 1 + least;
    }
    const auto largest = static_cast<double>(*std::max_element(options_.crossovers.begin(), options_.crossovers.end()));
    const double share =
        std::min(1.0, largest / static_cast<double>(std::max<std::int64_t>(1, *std::min_element(sizes.begin(), sizes.end()))));
    return 1 + least + most * share * share;
  }

  /// Adds the candidate crossovers for the best block sizes of every problem.
  void add_crossovers() {
    static constexpr double share = 0.6;  // of the time
    const std::vector<Seconds> seconds = predicted_seconds();
    const std::vector<Seconds> best = best_of_problems(seconds);
    const std::size_t count = entries_.size();
    for (std::size_t e = 0; e < count; ++e) {
      Alternative alternative = entries_[e].alternative;
      if (alternative.blocks.nx == 0 || seconds[e] > near_enough(entries_[e].problem) * best[entries_[e].problem]) {
        continue;
      }
      for (const std::int64_t nx : options_.crossovers) {
        alternative.blocks.nx = nx;
        add_if_new(entries_[e].problem, alternative, end_of_adding(share));
      }
    }
  }

  Forecast forecast(std::size_t e, const std::vector<model::Total>& all) const {
    const Alternative& alternative = entries_[e].alternative;
    const model::Total& total = all[e];
    return {alternative.variant, alternative.blocks, total.seconds,
            prediction::predicted_interval(total.seconds, {std::sqrt(variances_[e]), models_.run_deviation(), options_.method_error}),
            (total.extrapolated + total.unmodelled) / total.seconds};
  }

  void decide() {
    const std::vector<model::Total> all = totals();
    moments_ = models_.run_deviation().moments;
    for (const model::Total& total : all) {
      variances_.push_back(std::max(0.0, models_.covariance(total, total)));
    }
    for (std::size_t p = 0; p < problems_.size(); ++p) {
      std::vector<std::size_t> mine;
      for (std::size_t e = 0; e < entries_.size(); ++e) {
        if (entries_[e].problem == p) {
          mine.push_back(e);
        }
      }
      result_.decisions.push_back(decide(p, mine, all));
    }
  }

  /// Returns the standard deviation of the difference of two alternatives' times. Errors that both share cancel.
  [[nodiscard]] double difference_variance(std::size_t a, std::size_t b, const std::vector<model::Total>& all) const {
    const double models = variances_[a] + variances_[b] - 2 * models_.covariance(all[a], all[b]);
    return std::max(0.0, models) + method_variance(a, b, all);
  }

  /// Returns an upper bound of that variance for any common part of the two. It needs no covariance, whose computation takes long.
  [[nodiscard]] double max_variance(std::size_t a, std::size_t b, const std::vector<model::Total>& all) const {
    const double deviation = std::sqrt(variances_[a]) + std::sqrt(variances_[b]);
    return deviation * deviation + method_variance(a, b, all);
  }

  [[nodiscard]] double method_variance(std::size_t a, std::size_t b, const std::vector<model::Total>& all) const {
    const double method = method_error(entries_[a].alternative, entries_[b].alternative) * (all[a].seconds + all[b].seconds) / 2;
    const double of_calls = options_.call_error * static_cast<double>(calls_of(all[a]) - calls_of(all[b]));
    return method * method + of_calls * of_calls;
  }

  /// Returns the relative standard deviation of a difference beyond that of the models. The less alike two alternatives are, the less their
  /// errors cancel. Alternatives also respond differently to the state of the machine: kernels by 0.4 (KernelProcess::prior()), but most of
  /// the time of two alternatives lies in the same kernels.
  [[nodiscard]] double method_error(const Alternative& a, const Alternative& b) const {
    static constexpr double response_apart = 0.2;
    const double by_state = response_apart * moments_;
    if (a.variant != b.variant) {
      return std::hypot(options_.variant_error, by_state);
    }
    const auto octaves = [](std::int64_t x, std::int64_t y) { return std::fabs(octave_of(x) - octave_of(y)); };
    const double blocks = octaves(a.blocks.nb, b.blocks.nb);
    const double crossovers = std::min(1.0, octaves(a.blocks.nx, b.blocks.nx));
    return std::hypot(options_.block_error * std::sqrt(blocks), options_.crossover_error * crossovers, by_state * std::min(1.0, blocks));
  }

  /// Returns whether entry `slower` ties with entry `faster` (95 %).
  [[nodiscard]] bool tied(std::size_t faster, std::size_t slower, const std::vector<model::Total>& all) const {
    const Seconds behind = all[slower].seconds - all[faster].seconds;
    if (behind < options_.tie_margin * all[faster].seconds) {
      return true;
    }
    return behind < prediction::z95_one_sided * std::sqrt(max_variance(faster, slower, all)) &&
           behind < prediction::z95_one_sided * std::sqrt(difference_variance(faster, slower, all));
  }

  /// Returns the fastest entry of one variant, or the default if the fastest entry gains nothing over it or may lose too much.
  [[nodiscard]] std::size_t best_of(const std::vector<std::size_t>& group, const std::vector<model::Total>& all) const {
    const std::size_t fastest =
        *std::min_element(group.begin(), group.end(), [&](std::size_t a, std::size_t b) { return all[a].seconds < all[b].seconds; });
    const auto default_entry = std::find_if(group.begin(), group.end(), [&](std::size_t e) { return entries_[e].is_default; });
    if (default_entry == group.end() || *default_entry == fastest) {
      return fastest;
    }
    const Seconds now = all[*default_entry].seconds, gain = now - all[fastest].seconds;
    const double certainty = (gain + options_.tolerable_loss * now) / std::sqrt(difference_variance(fastest, *default_entry, all));
    const double harmless = std::isnan(certainty) ? 0.5 : normal_probability(certainty);
    return gain < options_.tie_margin * now || harmless < options_.certainty_of_change ? *default_entry : fastest;
  }

  /// Returns the candidates of a problem that have no forecast, with what is to be expected of their times.
  [[nodiscard]] std::vector<Guess> guesses(std::size_t problem, const std::vector<std::size_t>& mine,
                                           const std::vector<model::Total>& all) const {
    std::map<std::string, std::map<std::int64_t, Seconds>> best;  // times of each variant by block size
    for (const std::size_t e : mine) {
      const auto [at, is_new] = best[entries_[e].alternative.variant].try_emplace(entries_[e].alternative.blocks.nb, all[e].seconds);
      at->second = std::min(at->second, all[e].seconds);
    }
    std::map<std::string, std::vector<KnownTime>> known;
    for (const auto& [variant, times] : best) {
      for (const auto& [nb, seconds] : times) {
        known[variant].push_back({octave_of(nb), seconds});
      }
    }
    std::vector<Guess> guesses;
    for (const Alternative& alternative : problems_[problem].alternatives) {
      if (const auto& times = best[alternative.variant]; times.count(alternative.blocks.nb) == 0) {
        guesses.push_back({alternative, guess_time(known[alternative.variant], octave_of(alternative.blocks.nb))});
      }
    }
    const double by_crossover = (near_enough(problem) - 1) / prediction::z95_one_sided;
    for (const ForecastEntry& missed : missed_) {
      const bool is_crossover = best[missed.alternative.variant].count(missed.alternative.blocks.nb) > 0;
      const bool was_added =
          std::any_of(mine.begin(), mine.end(), [&](std::size_t e) { return same(entries_[e].alternative, missed.alternative); });
      if (missed.problem == problem && is_crossover && !was_added) {
        guesses.push_back({missed.alternative, {best[missed.alternative.variant][missed.alternative.blocks.nb], by_crossover}});
      }
    }
    return guesses;
  }

  /// Counts the candidates and samples that a decision rests on.
  void count_evidence(Decision& decision, std::size_t problem, const std::vector<std::size_t>& mine,
                      const std::vector<model::Total>& all) const {
    std::set<std::pair<std::string, std::int64_t>> candidates, considered;
    for (const Alternative& alternative : problems_[problem].alternatives) {
      candidates.emplace(alternative.variant, alternative.blocks.nb);
    }
    std::set<ModelKey> kernels;
    for (const std::size_t e : mine) {
      considered.emplace(entries_[e].alternative.variant, entries_[e].alternative.blocks.nb);
      for (const auto& [kernel, part] : all[e].parts) {
        kernels.insert(kernel);
      }
    }
    candidates.insert(considered.begin(), considered.end());
    decision.candidates = candidates.size();
    decision.considered = considered.size();
    for (const ModelKey& kernel : kernels) {
      const auto found = models_.kernels().find(kernel);
      decision.samples += found == models_.kernels().end() ? 0 : found->second.observations();
    }
  }

  /// Returns the largest fraction by which entry `e` may take longer than the best of `others` and `guesses` (95 %, all of them together).
  [[nodiscard]] double regret(std::size_t e, const std::vector<std::size_t>& others, const std::vector<Guess>& guesses,
                              const std::vector<model::Total>& all) const {
    static constexpr double confidence = prediction::default_confidence;
    const double reach =
        normal_quantile(1 - (1 - confidence) / static_cast<double>(std::max<std::size_t>(1, others.size() + guesses.size())));
    std::vector<Normal> losses;
    for (const std::size_t other : others) {
      const Seconds behind = all[e].seconds - all[other].seconds;
      if (other != e && behind + reach * std::sqrt(max_variance(e, other, all)) > 0) {
        losses.push_back({behind / all[other].seconds, std::sqrt(difference_variance(e, other, all)) / all[other].seconds});
      }
    }
    for (const Guess& guess : guesses) {
      const double behind = all[e].seconds / guess.time.seconds - 1;
      const double deviation = std::hypot(guess.time.deviation, method_error(entries_[e].alternative, guess.alternative));
      if (behind + reach * deviation > 0) {
        losses.push_back({behind, deviation});
      }
    }
    return std::max(0.0, quantile_of_maximum(losses, confidence));
  }

  /// Returns the block sizes of `group` that tie with its best entry.
  [[nodiscard]] std::vector<std::int64_t> block_ties(std::size_t best, const std::vector<std::size_t>& group,
                                                     const std::vector<model::Total>& all) const {
    std::vector<std::int64_t> ties;
    const std::int64_t own = entries_[best].alternative.blocks.nb;
    for (const std::size_t e : group) {
      if (const std::int64_t nb = entries_[e].alternative.blocks.nb; nb != own && tied(best, e, all)) {
        ties.push_back(nb);
      }
    }
    std::sort(ties.begin(), ties.end());
    ties.erase(std::unique(ties.begin(), ties.end()), ties.end());
    return ties;
  }

  /// Returns the variants at their best block sizes, the fastest first.
  [[nodiscard]] std::vector<VariantRank> rank(const std::vector<std::size_t>& mine, const std::vector<Guess>& guesses,
                                              const std::vector<model::Total>& all) const {
    const auto faster = [&](std::size_t a, std::size_t b) { return all[a].seconds < all[b].seconds; };
    std::map<std::string, std::vector<std::size_t>> groups;
    for (const std::size_t e : mine) {
      groups[entries_[e].alternative.variant].push_back(e);
    }
    std::vector<std::size_t> best;
    for (const auto& [variant, group] : groups) {
      best.push_back(best_of(group, all));
    }
    std::sort(best.begin(), best.end(), faster);
    std::vector<VariantRank> ranking;
    for (std::size_t i = 0; i < best.size(); ++i) {
      const std::size_t e = best[i];
      VariantRank variant;
      variant.best = forecast(e, all);
      variant.behind = all[e].seconds / all[best.front()].seconds - 1;
      variant.block_ties = block_ties(e, groups.at(entries_[e].alternative.variant), all);
      variant.regret = regret(e, mine, guesses, all);
      variant.resident_bytes = resident_bytes(subjects_[e].trace);
      for (std::size_t j = 0; j < best.size(); ++j) {
        if (j == i) {
          continue;
        }
        if (tied(best[std::min(i, j)], best[std::max(i, j)], all)) {
          variant.ties.push_back(entries_[best[j]].alternative.variant);
        } else if (j < i) {
          ++variant.rank;
        }
      }
      // A variant may tie with a variant ahead of it that is behind more others. Ranks never decrease along the ranking.
      variant.rank = ranking.empty() ? 1 : std::max(variant.rank, ranking.back().rank);
      ranking.push_back(std::move(variant));
    }
    return ranking;
  }

  Decision decide(std::size_t problem, const std::vector<std::size_t>& mine, const std::vector<model::Total>& all) const {
    Decision decision;
    decision.sizes = kernel::distinguishing_sizes(problems_[problem].call);
    decision.flops = flops(problems_[problem].call);
    for (const std::size_t e : mine) {
      decision.forecasts.push_back(forecast(e, all));
      if (entries_[e].is_default) {
        decision.default_ = decision.forecasts.back();
      }
    }
    std::sort(decision.forecasts.begin(), decision.forecasts.end(), [](const Forecast& a, const Forecast& b) {
      return std::tie(a.variant, a.blocks.nb, a.blocks.nx) < std::tie(b.variant, b.blocks.nb, b.blocks.nx);
    });
    decision.ranking = rank(mine, guesses(problem, mine, all), all);
    count_evidence(decision, problem, mine, all);
    decision.chosen = decision.ranking.front().best;
    decision.ties = decision.ranking.front().block_ties;
    decision.regret = decision.ranking.front().regret;
    decision.gain = decision.default_.seconds > 0 ? decision.default_.seconds / decision.chosen.seconds - 1 : 0;
    return decision;
  }

  std::span<const Problem> problems_;
  model::OnDemandModels& models_;
  const BlockSizeServices& services_;
  const BlockSizeOptions& options_;
  OnDemandSampler sampler_;
  std::vector<Subject> subjects_;
  std::vector<ForecastEntry> entries_;  ///< entry i belongs to subject i
  std::vector<ForecastEntry> missed_;   ///< candidates that the time budget didn't reach
  bool is_known_ = false;               ///< samples of earlier runs cover the kernels
  double moments_ = 0;                  ///< RunDeviation::moments of the models
  std::vector<double> variances_;       ///< variance of the predicted time of each entry
  Seconds time_to_decide_ = 0;          ///< estimate from earlier predictions of all entries
  BlockSizeResult result_;
};

}  // namespace

BlockSizeResult tune_block_size(std::span<const Problem> problems, const Environment& environment, model::OnDemandModels& models,
                                const BlockSizeServices& services, const BlockSizeOptions& options) {
  return Tuner(problems, environment, models, services, options).run();
}

}  // namespace flopcast::tuning
