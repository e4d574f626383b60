#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "flopcast/core/sample.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/modelling/checked_segments.hpp"
#include "flopcast/tasks/modelling/model_check.hpp"

namespace flopcast {

/// Samples to remove from the store, by number, and those to store in their place.
struct SampleReplacement {
  std::vector<std::int64_t> removed;
  std::vector<Sample> added;
};

/// The measurements of a check, as evidence for or against the samples of the store.
class SampleEvidence {
 public:
  /// `belief` are models of all samples, in the present state. Both arguments must outlive the evidence.
  SampleEvidence(const CheckedSegments& all, const model::OnDemandModels& belief) : all_(all), belief_(belief) {}

  /// Adds a measurement of a place, in the segment `segment`. A retest counts for places that were measured before.
  void add(std::size_t place, std::size_t segment, const Sample& sample, bool is_retest);
  /// Returns the segments of the suspects' first measurements. `run_deviation` is the relative deviation of runs because of the machine's state.
  [[nodiscard]] std::set<std::size_t> suspect_segments(double run_deviation) const;
  /// Counts the suspects of a kernel. If `replaces`, adds its refuted samples and the new ones to `replacement`.
  void judge(KernelCheck& kernel, double run_deviation, bool replaces, SampleReplacement& replacement) const;

 private:
  struct Measurements {
    std::vector<Seconds> first, second;  ///< normalised times of the first runs and of the retest
    std::size_t segment = 0;             ///< segment of the first runs
    std::vector<Sample> samples;
  };
  [[nodiscard]] double score(std::size_t place, const std::vector<Seconds>& times, double run_deviation) const;
  void replace(KernelCheck& kernel, const std::set<std::size_t>& places, bool whole, SampleReplacement& replacement) const;

  const CheckedSegments& all_;
  const model::OnDemandModels& belief_;
  std::map<std::size_t, Measurements> places_;
};

}  // namespace flopcast
