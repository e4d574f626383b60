#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/kernel_model.hpp"
#include "flopcast/model/sample_source.hpp"

namespace flopcast::model {

/// A part of a domain in which a call's operands together fit into one memory level, but not into the level before.
struct MemoryLevel {
  double bytes_low = 0, bytes_high = 0;  ///< range of footprints [bytes_low, bytes_high); the last level reaches to infinity
  std::vector<Sizes> points;             ///< sampling points
};

/// Returns the memory levels that `domain` reaches, each with `measurements` sampling points, or one more than the basis has monomials if
/// that is more. `footprint` returns the bytes of a call at given sizes; `capacities_bytes` are those of the caches from L1 outwards.
/// Candidates are points on multiples of the minimum width. The most independent ones come first (approximate Fekete points: Sommariva and
/// Vianello 2009), then those farthest from all others. A level without candidates is joined with the next outer level.
std::vector<MemoryLevel> memory_levels(const Box& domain, const std::function<double(std::span<const std::int64_t>)>& footprint,
                                       std::span<const std::int64_t> capacities_bytes, const std::vector<Monomial>& basis,
                                       const LevelsOptions& options);

/// Builds a model with one polynomial over `basis` per memory level. Iakymchuk (2011) uses polynomials of the degree of the kernel's complexity,
/// which is the degree of the adapted basis. If the source is interrupted, the model is not complete and has no pieces.
Model model_by_levels(ModelKey key, std::vector<std::string> names, const Box& domain,
                      const std::function<double(std::span<const std::int64_t>)>& footprint, std::span<const std::int64_t> capacities_bytes,
                      const std::vector<Monomial>& basis, const LevelsOptions& options, const SampleSource& source);

}  // namespace flopcast::model
