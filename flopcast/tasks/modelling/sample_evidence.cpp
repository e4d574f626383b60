#include "flopcast/tasks/modelling/sample_evidence.hpp"

#include <algorithm>
#include <cmath>

#include "flopcast/tasks/modelling/check_rules.hpp"

namespace flopcast {

void SampleEvidence::add(std::size_t place, std::size_t segment, const Sample& sample, bool is_retest) {
  const auto [at, is_new] = places_.try_emplace(place);
  Measurements& measurements = at->second;
  if (is_new) {
    measurements.first = sample.times();
    measurements.segment = segment;
  } else if (is_retest) {
    measurements.second = sample.times();
  }
  measurements.samples.push_back(sample);
}

double SampleEvidence::score(std::size_t place, const std::vector<Seconds>& times, double run_deviation) const {
  const SampledPlace& at = all_.places()[place];
  return standard_score(belief_.estimate(at.call, at.placement), times, run_deviation);
}

std::set<std::size_t> SampleEvidence::suspect_segments(double run_deviation) const {
  std::set<std::size_t> segments;
  const double limit = suspect_score(places_.size());
  for (const auto& [place, measurements] : places_) {
    if (std::fabs(score(place, measurements.first, run_deviation)) >= limit) {
      segments.insert(measurements.segment);
    }
  }
  return segments;
}

void SampleEvidence::judge(KernelCheck& kernel, double run_deviation, bool replaces, SampleReplacement& replacement) const {
  const double limit = suspect_score(places_.size());
  std::int64_t measured = 0;
  std::set<std::size_t> refuted;
  for (const auto& [place, measurements] : places_) {
    if (all_.places()[place].key != kernel.key) {
      continue;
    }
    ++measured;
    const double first = score(place, measurements.first, run_deviation);
    if (std::fabs(first) < limit) {
      continue;
    }
    ++kernel.suspects;
    if (!measurements.second.empty()) {
      ++kernel.retested;
      if (is_refuted(first, score(place, measurements.second, run_deviation), limit)) {
        refuted.insert(place);
      }
    }
  }
  kernel.refuted = static_cast<std::int64_t>(refuted.size());
  if (replaces && !refuted.empty()) {
    const bool whole = is_whole_kernel_refuted(measured, kernel.suspects, kernel.retested, kernel.refuted);
    replace(kernel, refuted, whole, replacement);
  }
}

void SampleEvidence::replace(KernelCheck& kernel, const std::set<std::size_t>& places, bool whole, SampleReplacement& replacement) const {
  const auto remove = [&](std::int64_t id) {
    replacement.removed.push_back(id);
    ++kernel.removed;
  };
  if (whole) {  // samples that the check can't measure, too
    for (const model::StoredSample& stored : all_.samples().at(kernel.key)) {
      remove(stored.id);
    }
  }
  for (std::size_t place = 0; place < all_.places().size(); ++place) {
    if (all_.places()[place].key != kernel.key || !(whole || places.count(place) > 0)) {
      continue;
    }
    if (!whole) {
      std::for_each(all_.places()[place].ids.begin(), all_.places()[place].ids.end(), remove);
    }
    if (const auto found = places_.find(place); found != places_.end()) {
      const std::vector<Sample>& samples = found->second.samples;
      replacement.added.insert(replacement.added.end(), samples.begin(), samples.end());
      kernel.added += static_cast<std::int64_t>(samples.size());
    }
  }
}

}  // namespace flopcast
