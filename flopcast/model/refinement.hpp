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

/// Which error of a fit over its samples is held against the bound.
enum class ErrorType : std::uint8_t { maximum, mean, median };

/// `maximum`, `mean`, `median`; the second throws bad_input naming these.
std::string_view to_string(ErrorType type);
ErrorType parse_error_type(std::string_view text);

/// Parameters of adaptive refinement; the defaults are those of paper 000, section 2.2, where no other source is given.
struct RefinementOptions {
  std::int64_t minimum_width = 8;  ///< coordinates of sampling points are multiples of it
  Grid grid = Grid::gaussian;      ///< points of the Cartesian product
  double error_bound = 0.05;       ///< a box whose fit's error is above it is subdivided
  std::int64_t minimum_size = 32;  ///< no box becomes narrower than this
  int degree = 3;                  ///< of the polynomials
  int oversampling = 1;            ///< points per dimension beyond the degree + 1 that a fit needs
  ErrorType error_type = ErrorType::maximum;
  BasisKind basis = BasisKind::total;
  bool reuse = true;       ///< samples of enclosing and neighbouring boxes count too where they lie in a box (ours)
  int maximum_depth = 32;  ///< subdivisions of the domain at most; the minimum size ends it earlier (ours)
  friend bool operator==(const RefinementOptions&, const RefinementOptions&) = default;
};

/// Throws bad_input naming the option, its value and what was expected.
void check(const RefinementOptions& options);
void to_json(nlohmann::json& json, const RefinementOptions& options);
void from_json(const nlohmann::json& json, RefinementOptions& options);

/// Points per dimension that a box is sampled at: the largest exponent there + 1 + oversampling; 1 where the box has only one size.
std::vector<int> grid_counts(const std::vector<Monomial>& basis, const Box& box, int oversampling);

/// How far a refinement has come.
struct RefinementProgress {
  int level = 0;                ///< subdivisions so far
  std::int64_t samples = 0;     ///< points measured so far
  std::int64_t open_boxes = 0;  ///< of this level, to be sampled next
  double share_done = 0;        ///< of the domain's volume, settled
};

struct Refinement {
  Model model;           ///< usable if it has pieces: open boxes hold the polynomial of the box that they came from
  bool complete = true;  ///< false: interrupted by the source
};

/// Adaptive refinement (paper 000, section 2.2): samples every box of `domain` on its grid, fits a polynomial over `basis`, and subdivides
/// the boxes whose error is above the bound, level by level. The points of all boxes of a level are asked for at once. `names` are those of
/// the sizes.
///
/// `thresholds` (find_thresholds) part the domain into sides of little and of much work (ours): each is refined by itself, with the points
/// of a box's grid that lie on other sides moved to this one; pieces hold on their side only. Where a box has hardly any of a side, so that
/// no point is found there, all its points count.
Refinement refine(ModelKey key, std::vector<std::string> names, std::vector<Box> domain, const std::vector<Monomial>& basis,
                  const RefinementOptions& options, const SampleSource& source,
                  const std::function<void(const RefinementProgress&)>& progress = {}, std::span<const double> thresholds = {});

}  // namespace flopcast::model
