#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/tune/kept_segments.hpp"

/// The samples that a check is about, and the segments in which it can measure them again.
namespace flopcast {

/// A call in a cache state, of which the store has samples.
struct SampledPlace {
  ModelKey key;
  Call call;
  Placement placement;
  std::vector<std::int64_t> ids;  ///< numbers of its samples in the store
};

/// A kept segment that times sampled places.
struct CheckedSegment {
  tuning::KeptSegment kept;
  std::vector<std::optional<std::size_t>> places;  ///< place of each timed call; nothing if it has no samples or isn't checked
};

class CheckedSegments {
 public:
  /// Reads the samples of `routines`, or of all if there are none, and the segments that time them. Calls below 1 us are no places, because
  /// single runs don't tell their time, and kernels without a place are skipped. Throws bad_input if nothing is left.
  CheckedSegments(const model::Store& store, const Environment& environment, const std::vector<std::string>& routines);

  [[nodiscard]] const std::map<ModelKey, std::vector<model::StoredSample>>& samples() const noexcept { return samples_; }
  [[nodiscard]] const std::vector<SampledPlace>& places() const noexcept { return places_; }
  [[nodiscard]] const std::vector<CheckedSegment>& segments() const noexcept { return segments_; }
  /// Returns the numbers of the segments that time a kernel.
  [[nodiscard]] std::vector<std::size_t> segments_of(const ModelKey& key) const;

  /// Returns models from all samples but those of the places `left_out`.
  [[nodiscard]] model::OnDemandModels models(const Environment& environment, const std::set<std::size_t>& left_out = {}) const;

 private:
  std::map<ModelKey, std::vector<model::StoredSample>> samples_;
  std::vector<MachineState> other_states_;  ///< states in which other kernels were sampled
  std::vector<SampledPlace> places_;
  std::vector<CheckedSegment> segments_;
};

}  // namespace flopcast
