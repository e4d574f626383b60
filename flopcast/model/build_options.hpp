#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/model/basis.hpp"
#include "flopcast/model/grid.hpp"
#include "flopcast/support/text_number.hpp"

/// Options of the published ways of building models.
namespace flopcast::model {

/// The error of a fit over its samples that is compared with the bound.
enum class ErrorType : std::uint8_t { maximum, mean, median };

/// Parameters of adaptive refinement. The defaults are those of paper 000, section 2.2, unless another source is given.
struct RefinementOptions {
  std::int64_t min_width = 8;   ///< coordinates of sampling points are multiples of this width
  Grid grid = Grid::gaussian;   ///< distribution of the points of the Cartesian product
  Fraction error_bound = 0.05;  ///< a box whose fit has a larger error is subdivided
  std::int64_t min_size = 32;   ///< no box becomes narrower than this
  int degree = 3;               ///< degree of the polynomials
  int oversampling = 1;         ///< points per dimension beyond the degree + 1 that a fit needs
  ErrorType error_type = ErrorType::maximum;
  BasisKind basis = BasisKind::total;
  bool reuse = true;   ///< samples of enclosing and neighbouring boxes count too if they lie in a box (flopcast)
  int max_depth = 32;  ///< largest number of subdivisions of the domain; the minimum size ends refinement earlier (flopcast)
  friend bool operator==(const RefinementOptions&, const RefinementOptions&) = default;
};

/// Parameters of models by memory level.
struct LevelsOptions {
  int measurements = 6;        ///< number per memory level: "4 - 6 measurements on each memory level" (paper 001)
  std::int64_t min_width = 8;  ///< coordinates of sampling points are multiples of this width (paper 000, section 2.2)
  friend bool operator==(const LevelsOptions&, const LevelsOptions&) = default;
};

/// Throws bad_input that names the option, its value and the expected range.
void check(const RefinementOptions& options);
void check(const LevelsOptions& options);

/// All options that a model was built with.
struct BuildOptions {
  std::optional<RefinementOptions> refinement;   ///< set in a refined model
  std::optional<LevelsOptions> levels;           ///< set in a model by memory level
  std::vector<double> thresholds;                ///< products of all sizes at which the library changes its threads
  std::map<std::string, std::string> arguments;  ///< flags, scalars and leading dimensions that the user fixed, by name
  std::string cache;                             ///< state of the caches, as parse_precondition reads it; empty if it isn't known
  bool complete = true;                          ///< false: the time budget ended before all pieces were as accurate as asked for
  friend bool operator==(const BuildOptions&, const BuildOptions&) = default;
};

}  // namespace flopcast::model
