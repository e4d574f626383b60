#include "flopcast/tune/block_size.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace flopcast::tune {
namespace {

constexpr double z95_two_sided = 1.96;
constexpr double z95_one_sided = 1.645;

/// One (problem, parameters) pair and its subject.
struct Entry {
  std::size_t problem = 0;
  algorithm::BlockParameters blocks;
  bool standard = false;
};

bool same(const algorithm::BlockParameters& a, const algorithm::BlockParameters& b) { return a.nb == b.nb && a.nx == b.nx; }

class Tuner {
 public:
  Tuner(std::span<const Problem> problems, const Environment& environment, model::OnDemandModels& models, const BlockSizeSources& sources,
        const BlockSizeOptions& options)
      : problems_(problems), models_(models), sources_(sources), options_(options), sampler_(environment, models, sources.sampling) {}

  BlockSizeResult run() {
    record();
    static constexpr double coarse_share = 0.4;  // of the time, for an equal look at everything
    sources_.stage("sampling all block sizes");
    sampler_.refine(subjects_, options_.coarse_target, options_.time_budget * coarse_share);
    if (options_.tune_crossover) {
      add_crossovers();
    }
    sources_.stage("sampling the contenders");
    result_.complete =
        sampler_.refine(subjects_, options_.target, options_.time_budget, [this](std::span<const Seconds> totals) { weigh(totals); });
    result_.cost = sampler_.cost();
    decide();
    return std::move(result_);
  }

 private:
  void add(std::size_t problem, const algorithm::BlockParameters& blocks, bool standard) {
    Subject subject;
    subject.trace = sources_.trace(problems_[problem].call, blocks);
    subject.placements = sources_.placements(subject.trace);
    subjects_.push_back(std::move(subject));
    entries_.push_back({problem, blocks, standard});
  }

  void record() {
    sources_.stage("recording");
    for (std::size_t p = 0; p < problems_.size(); ++p) {
      add(p, problems_[p].defaults, true);
      for (const algorithm::BlockParameters& blocks : problems_[p].alternatives) {
        if (!same(blocks, problems_[p].defaults)) {
          add(p, blocks, false);
        }
      }
    }
  }

  std::vector<model::Total> totals() const {
    std::vector<model::Total> all;
    all.reserve(subjects_.size());
    for (const Subject& subject : subjects_) {
      all.push_back(models_.total(subject.trace.calls, subject.placements));
    }
    return all;
  }

  std::vector<Seconds> predicted_seconds() const {
    std::vector<Seconds> all;
    for (const Subject& subject : subjects_) {
      Seconds sum = 0;
      for (std::size_t c = 0; c < subject.trace.calls.size(); ++c) {
        sum += models_.seconds(subject.trace.calls[c], subject.placements[c]);
      }
      all.push_back(sum);
    }
    return all;
  }

  std::vector<Seconds> best_of_problems(std::span<const Seconds> seconds) const {
    std::vector<Seconds> best(problems_.size(), INFINITY);
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      best[entries_[e].problem] = std::min(best[entries_[e].problem], seconds[e]);
    }
    return best;
  }

  /// Contenders and defaults count fully, hopeless alternatives hardly.
  void weigh(std::span<const Seconds> seconds) {
    static constexpr double hopeless = 0.15;
    const std::vector<Seconds> best = best_of_problems(seconds);
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      const double behind = seconds[e] / best[entries_[e].problem] - 1;
      const double closeness = std::exp(-behind * behind / (2 * options_.contender_margin * options_.contender_margin));
      subjects_[e].weight = entries_[e].standard ? 1 : std::max(hopeless, closeness);
    }
  }

  /// For the best block sizes of every problem, the crossovers too.
  void add_crossovers() {
    static constexpr double near = 1.02;
    const std::vector<Seconds> seconds = predicted_seconds();
    const std::vector<Seconds> best = best_of_problems(seconds);
    const std::size_t count = entries_.size();
    for (std::size_t e = 0; e < count; ++e) {
      if (problems_[entries_[e].problem].defaults.nx == 0 || seconds[e] > near * best[entries_[e].problem]) {
        continue;
      }
      for (const std::int64_t nx : options_.crossovers) {
        algorithm::BlockParameters blocks = entries_[e].blocks;
        blocks.nx = nx;
        const auto known = [&](const Entry& other) { return other.problem == entries_[e].problem && same(other.blocks, blocks); };
        if (std::none_of(entries_.begin(), entries_.end(), known)) {
          add(entries_[e].problem, blocks, false);
        }
      }
    }
  }

  Forecast forecast(const algorithm::BlockParameters& blocks, const model::Total& total) const {
    const double method = options_.method_error * total.seconds;
    const double deviation = std::sqrt(std::max(0.0, models_.covariance(total, total)) + method * method);
    return {blocks,
            total.seconds,
            {std::max(0.0, total.seconds - z95_two_sided * deviation), total.seconds + z95_two_sided * deviation},
            (total.extrapolated + total.unmodelled) / total.seconds};
  }

  void decide() {
    const std::vector<model::Total> all = totals();
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

  Decision decide(std::size_t problem, const std::vector<std::size_t>& mine, const std::vector<model::Total>& all) const {
    Decision decision;
    for (const std::int64_t size : sizes(problems_[problem].call)) {
      decision.sizes.push_back(size);
    }
    const auto faster = [&](std::size_t a, std::size_t b) { return all[a].seconds < all[b].seconds; };
    const std::size_t chosen = *std::min_element(mine.begin(), mine.end(), faster);
    decision.chosen = forecast(entries_[chosen].blocks, all[chosen]);
    const double own_variance = models_.covariance(all[chosen], all[chosen]);
    for (const std::size_t e : mine) {
      if (entries_[e].standard) {
        decision.standard = forecast(entries_[e].blocks, all[e]);
      }
      decision.forecasts.push_back(forecast(entries_[e].blocks, all[e]));
      if (e == chosen) {
        continue;
      }
      const double variance = own_variance + models_.covariance(all[e], all[e]) - 2 * models_.covariance(all[chosen], all[e]);
      const double behind = all[e].seconds - all[chosen].seconds;
      const double reach = z95_one_sided * std::sqrt(std::max(0.0, variance));
      if (behind < std::max(reach, options_.tie_margin * all[chosen].seconds) && entries_[e].blocks.nb != entries_[chosen].blocks.nb) {
        decision.ties.push_back(entries_[e].blocks.nb);
      }
      decision.regret = std::max(decision.regret, (reach - behind) / all[e].seconds);
    }
    std::sort(decision.ties.begin(), decision.ties.end());
    decision.ties.erase(std::unique(decision.ties.begin(), decision.ties.end()), decision.ties.end());
    std::sort(decision.forecasts.begin(), decision.forecasts.end(), [](const Forecast& a, const Forecast& b) {
      return std::pair(a.blocks.nb, a.blocks.nx) < std::pair(b.blocks.nb, b.blocks.nx);
    });
    decision.gain = decision.standard.seconds / decision.chosen.seconds - 1;
    return decision;
  }

  std::span<const Problem> problems_;
  model::OnDemandModels& models_;
  const BlockSizeSources& sources_;
  const BlockSizeOptions& options_;
  OnDemandSampler sampler_;
  std::vector<Subject> subjects_;
  std::vector<Entry> entries_;  ///< of the subject with the same index
  BlockSizeResult result_;
};

}  // namespace

BlockSizeResult tune_block_size(std::span<const Problem> problems, const Environment& environment, model::OnDemandModels& models,
                                const BlockSizeSources& sources, const BlockSizeOptions& options) {
  return Tuner(problems, environment, models, sources, options).run();
}

}  // namespace flopcast::tune
