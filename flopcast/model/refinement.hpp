#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/model/basis.hpp"
#include "flopcast/model/grid.hpp"
#include "flopcast/model/model.hpp"
#include "flopcast/model/sample_source.hpp"
#include "flopcast/model/thresholds.hpp"

namespace flopcast::model {

/// The error of a fit over its samples that is compared with the bound.
enum class ErrorType : std::uint8_t { maximum, mean, median };

/// Returns `maximum`, `mean` or `median`; parse_error_type() reads these names and throws bad_input for any other.
std::string_view to_string(ErrorType type);
ErrorType parse_error_type(std::string_view text);

/// Parameters of adaptive refinement. The defaults are those of paper 000, section 2.2, unless another source is given.
struct RefinementOptions {
  std::int64_t min_width = 8;  ///< coordinates of sampling points are multiples of this width
  Grid grid = Grid::gaussian;  ///< distribution of the points of the Cartesian product
  double error_bound = 0.05;   ///< a box whose fit has a larger error is subdivided
  std::int64_t min_size = 32;  ///< no box becomes narrower than this
  int degree = 3;              ///< degree of the polynomials
  int oversampling = 1;        ///< points per dimension beyond the degree + 1 that a fit needs
  ErrorType error_type = ErrorType::maximum;
  BasisKind basis = BasisKind::total;
  bool reuse = true;   ///< samples of enclosing and neighbouring boxes count too if they lie in a box (flopcast)
  int max_depth = 32;  ///< largest number of subdivisions of the domain; the minimum size ends refinement earlier (flopcast)
  friend bool operator==(const RefinementOptions&, const RefinementOptions&) = default;
};

/// Throws bad_input that names the option, its value and the expected range.
void check(const RefinementOptions& options);
void to_json(nlohmann::json& json, const RefinementOptions& options);
void from_json(const nlohmann::json& json, RefinementOptions& options);

/// Returns the number of sampling points of a box per dimension: the largest exponent + 1 + oversampling, or 1 if the dimension is fixed.
std::vector<int> grid_counts(const std::vector<Monomial>& basis, const Box& box, int oversampling);

/// The progress of a refinement.
struct RefinementProgress {
  int level = 0;                ///< number of subdivisions so far
  std::int64_t samples = 0;     ///< number of points measured so far
  std::int64_t open_boxes = 0;  ///< number of boxes of this level, which are sampled next
  double share_done = 0;        ///< settled share of the domain's volume
};

struct Refinement {
  Model model;           ///< usable if it has pieces: open boxes hold their parent's polynomial
  bool complete = true;  ///< false: the source was interrupted
};

/// Builds a model by adaptive refinement (paper 000, section 2.2). Every box of `domain` is sampled on its grid, a polynomial over `basis`
/// is fitted, and boxes whose error is above the bound are subdivided, level by level. The points of all boxes of a level are requested at
/// once. `names` are those of the sizes.
///
/// `thresholds` (find_thresholds) divide the domain into sides of little and of much work (flopcast). Each side is refined by itself, and
/// its pieces hold on this side only. Points of a box's grid on other sides are moved to this side. If no point of the side is found in a
/// box, all points of the box count.
Refinement refine(ModelKey key, std::vector<std::string> names, std::vector<Box> domain, const std::vector<Monomial>& basis,
                  const RefinementOptions& options, const SampleSource& source,
                  const std::function<void(const RefinementProgress&)>& progress = {}, std::span<const double> thresholds = {});

}  // namespace flopcast::model
