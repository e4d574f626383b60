#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/model/model.hpp"
#include "flopcast/model/sample_source.hpp"

namespace flopcast::model {

/// Parameters of models by memory level.
struct LevelsOptions {
  int measurements = 6;            ///< per memory level: "4 - 6 measurements on each memory level" (paper 001)
  std::int64_t minimum_width = 8;  ///< coordinates of sampling points are multiples of it (paper 000, section 2.2)
  friend bool operator==(const LevelsOptions&, const LevelsOptions&) = default;
};

/// Throws bad_input naming the option, its value and what was expected.
void check(const LevelsOptions& options);
void to_json(nlohmann::json& json, const LevelsOptions& options);
void from_json(const nlohmann::json& json, LevelsOptions& options);

/// A part of a domain whose calls' operands together fit into one memory level and not into the one before.
struct MemoryLevel {
  double bytes_low = 0, bytes_high = 0;  ///< footprints in [bytes_low, bytes_high); the last level reaches to infinity
  std::vector<Sizes> points;             ///< where to measure
};

/// The memory levels that `domain` reaches, by the footprint of a call (bytes at given sizes) and the capacities of the caches from L1
/// outwards, each with `measurements` points (more if the basis has more monomials): the most independent ones of those on multiples of the
/// minimum width (approximate Fekete points: Sommariva and Vianello 2009), then the ones farthest from all before. A level that holds no
/// such point is joined with the level outside of it.
std::vector<MemoryLevel> memory_levels(const Box& domain, const std::function<double(std::span<const std::int64_t>)>& footprint,
                                       std::span<const std::int64_t> capacities_bytes, const std::vector<Monomial>& basis,
                                       const LevelsOptions& options);

struct LevelsModel {
  Model model;
  bool complete = true;  ///< false: interrupted by the source; the model then has no pieces
};

/// One polynomial over `basis` per memory level (paper 001: of the degree of the kernel's complexity, which is what the adapted basis has).
LevelsModel model_by_levels(ModelKey key, std::vector<std::string> names, const Box& domain,
                            const std::function<double(std::span<const std::int64_t>)>& footprint,
                            std::span<const std::int64_t> capacities_bytes, const std::vector<Monomial>& basis,
                            const LevelsOptions& options, const SampleSource& source);

}  // namespace flopcast::model
