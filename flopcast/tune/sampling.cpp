#include "flopcast/tune/sampling.hpp"

#include <algorithm>
#include <set>

#include "flopcast/measure/sampler.hpp"

namespace flopcast::tuning {
bool OnDemandSampler::refine(std::vector<Subject>& subjects, double target, Seconds until,
                             const std::function<void(std::span<const Seconds> totals)>& weigh) {
  static constexpr int max_rounds = 40;
  static constexpr double share_of_rest = 1.0 / 3;  // share of the remaining time for one batch; later batches know more
  static constexpr Seconds shortest_batch = 1;
  std::set<Pick> measured;
  if (services_.elapsed() < until) {
    const MachineState present = services_.observe();
    if (present.session > 0 && present.session != models_.wanted_state().session) {
      models_.predict_for(present);
    }
  }
  for (int round = 0; round < max_rounds; ++round) {
    const Seconds begin = services_.elapsed();
    const Seconds left = until - begin - thinking_;
    if (services_.interrupted() || left <= 0) {
      return false;
    }
    DesignOptions design;
    if (!models_.kernels().empty()) {
      design.weigh = weigh;
    }
    design.target = target;
    design.budget = std::max(left * share_of_rest, std::min(left, shortest_batch));
    design.measured = &measured;
    design.max_cost = left;
    bool leaves_long = false;
    const std::vector<Pick> picks = choose_segments(subjects, models_, design, &leaves_long);
    measured.insert(picks.begin(), picks.end());
    if (picks.empty()) {
      return !leaves_long;
    }
    const Seconds measured_before = cost_.measuring;
    measure(subjects, picks);
    thinking_ = services_.elapsed() - begin - (cost_.measuring - measured_before);
  }
  return false;
}

void OnDemandSampler::measure(const std::vector<Subject>& subjects, const std::vector<Pick>& picks) {
  std::vector<measure::Experiment> experiments;
  for (const Pick& pick : picks) {
    const Subject& subject = subjects[pick.subject];
    experiments.push_back(experiment(subject.trace, subject.placements, pick.segment, environment_));
  }
  const Seconds begun = services_.elapsed();
  const std::vector<measure::Timings> timings = services_.measure(experiments);
  cost_.measuring += services_.elapsed() - begun;
  std::vector<Sample> samples;
  std::vector<KeptSegment> segments;
  for (std::size_t p = 0; p < std::min(picks.size(), timings.size()); ++p) {
    const Subject& subject = subjects[picks[p].subject];
    for (std::size_t c = 0; c < timings[p].calls.size(); ++c) {
      const std::size_t at = picks[p].segment.begin + c;
      const Call& call = subject.trace.calls[at];
      Sample sample = measure::empty_sample(call, "placed", environment_);
      sample.key = models_.sample_key(call);
      sample.placement = subject.placements[at];
      sample.repetitions = timings[p].calls[c];
      sample.state = timings[p].state;
      sample.warnings = timings[p].warnings;
      const std::vector<Seconds> times = sample.times();
      if (times.empty()) {
        continue;
      }
      models_.add(call, subject.placements[at], times, sample.state);
      cost_.timings += times.size();
      samples.push_back(std::move(sample));
    }
    segments.push_back(cut(subject.trace, subject.placements, picks[p].segment));
    ++cost_.segments;
  }
  services_.keep(samples);
  services_.keep_segments(segments);
  if (!services_.interrupted()) {
    models_.fit();
  }
}

}  // namespace flopcast::tuning
