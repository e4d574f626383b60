#include "flopcast/tasks/modelling/checked_segments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/measure/sampler.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {
namespace {

/// Distinguishes places: kernel, sizes, strides, and three numbers per operand.
using PlaceName = std::tuple<ModelKey, std::vector<std::int64_t>, std::vector<std::int64_t>, std::vector<std::int64_t>>;

PlaceName name_of(const Sample& sample) {
  std::vector<std::int64_t> states;
  for (const OperandState& state : sample.placement) {
    states.insert(states.end(), {state.distance_bytes, state.level, state.dirty ? 1 : 0});
  }
  return {sample.key, sample.sizes, sample.strides, std::move(states)};
}

/// Returns whether a single run of the sampled call tells its time: reading the clock disturbs shorter calls by a tenth and more.
bool is_measurable(const Sample& sample) {
  static constexpr Seconds shortest = 1e-6;
  const std::vector<Seconds> times = sample.times();
  return !sample.placement.empty() && !times.empty() && median(times) >= shortest;
}

void require_samples(const std::map<ModelKey, std::vector<model::StoredSample>>& samples, const std::set<std::string>& known,
                     const std::vector<std::string>& routines, const model::Store& store, const Environment& environment) {
  if (known.empty()) {
    throw bad_input("the store {} has no samples for models on demand of {}; 'flopcast tune dgeqrf --n 200:800' takes some",
                    store.path().string(), place_text(environment));
  }
  for (const std::string& routine : routines) {
    if (known.count(routine) == 0) {
      throw bad_input("the store {} has no samples of {}; it has those of {}", store.path().string(), routine, fmt::join(known, ", "));
    }
  }
  if (samples.empty()) {
    throw bad_input("the store {} has no samples of calls that take 1 us or more; single runs of shorter ones can't be timed",
                    store.path().string());
  }
}

/// Returns the place of each timed call of a segment; nothing for a call that isn't among `numbers`.
std::vector<std::optional<std::size_t>> places_of(const tuning::KeptSegment& kept, const std::map<PlaceName, std::size_t>& numbers,
                                                  const Environment& environment, const model::OnDemandModels& keys) {
  std::vector<std::optional<std::size_t>> places;
  for (std::size_t at = kept.segment.begin; at < kept.segment.end; ++at) {
    Sample sample = measure::empty_sample(kept.trace.calls[at], "placed", environment);
    sample.key = keys.sample_key(kept.trace.calls[at]);
    sample.placement = kept.placements[at];
    const auto found = numbers.find(name_of(sample));
    places.push_back(found == numbers.end() ? std::nullopt : std::optional(found->second));
  }
  return places;
}

}  // namespace

CheckedSegments::CheckedSegments(const model::Store& store, const Environment& environment, const std::vector<std::string>& routines) {
  std::map<PlaceName, std::size_t> numbers;
  std::set<std::string> known;
  for (const ModelKey& key : store.sampled_keys()) {
    if (key.library != environment.fingerprint || key.cache != "placed" || key.threads != environment.threads) {
      continue;
    }
    known.insert(key.routine);
    const bool is_wanted = routines.empty() || std::find(routines.begin(), routines.end(), key.routine) != routines.end();
    std::vector<model::StoredSample> stored = store.stored_samples(key);
    if (!is_wanted || std::none_of(stored.begin(), stored.end(), [](const auto& one) { return is_measurable(one.sample); })) {
      std::transform(stored.begin(), stored.end(), std::back_inserter(other_states_), [](const auto& one) { return one.sample.state; });
      continue;
    }
    for (const model::StoredSample& one : stored) {
      if (!is_measurable(one.sample)) {
        continue;
      }
      const auto [at, is_new] = numbers.try_emplace(name_of(one.sample), places_.size());
      if (is_new) {
        places_.push_back({key, call_of(one.sample, kernel::find), one.sample.placement, {}});
      }
      places_[at->second].ids.push_back(one.id);
    }
    samples_.emplace(key, std::move(stored));
  }
  require_samples(samples_, known, routines, store, environment);
  const model::OnDemandModels keys(environment);
  for (tuning::KeptSegment& kept : tuning::kept_segments(store, environment)) {
    std::vector<std::optional<std::size_t>> places = places_of(kept, numbers, environment, keys);
    if (std::any_of(places.begin(), places.end(), [](const auto& place) { return place.has_value(); })) {
      segments_.push_back({std::move(kept), std::move(places)});
    }
  }
  if (segments_.empty()) {
    throw bad_input(
        "none of the {} in the store {} can be measured again, because the store doesn't have the calls around them; "
        "'flopcast tune' and 'flopcast predict' keep both",
        counted(places_.size(), "sampled call"), store.path().string());
  }
}

std::vector<std::size_t> CheckedSegments::segments_of(const ModelKey& key) const {
  std::vector<std::size_t> numbers;
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    const std::vector<std::optional<std::size_t>>& places = segments_[s].places;
    if (std::any_of(places.begin(), places.end(), [&](const auto& place) { return place && places_[*place].key == key; })) {
      numbers.push_back(s);
    }
  }
  return numbers;
}

model::OnDemandModels CheckedSegments::models(const Environment& environment, const std::set<std::size_t>& left_out) const {
  std::set<std::int64_t> without;
  for (const std::size_t place : left_out) {
    without.insert(places_[place].ids.begin(), places_[place].ids.end());
  }
  model::OnDemandModels models(environment);
  for (const MachineState& state : other_states_) {
    models.note_session(state);  // so that the usual state doesn't depend on the kernels
  }
  for (const auto& [key, stored] : samples_) {
    for (const model::StoredSample& one : stored) {
      if (without.count(one.id) == 0) {
        models.add(one.sample, call_of(one.sample, kernel::find));
      } else {
        models.note_session(one.sample.state);
      }
    }
  }
  return models;
}

}  // namespace flopcast
