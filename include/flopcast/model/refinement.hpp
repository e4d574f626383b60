#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/kernel_model.hpp"
#include "flopcast/model/sample_source.hpp"
#include "flopcast/model/thresholds.hpp"

namespace flopcast::model {

/// Returns the number of sampling points of a box per dimension: the largest exponent + 1 + oversampling, or 1 if the dimension is fixed.
std::vector<int> grid_counts(const std::vector<Monomial>& basis, const Box& box, int oversampling);

/// The progress of a refinement.
struct RefinementProgress {
  int level = 0;                ///< number of subdivisions so far
  std::int64_t samples = 0;     ///< number of points measured so far
  std::int64_t open_boxes = 0;  ///< number of boxes of this level, which are sampled next
  double share_done = 0;        ///< finished share of the domain's volume
};

/// Builds a model by adaptive refinement (Peise and Bientinesi 2014, section 2.2). Every box of `domain` is sampled on its grid, a
/// polynomial over `basis` is fitted, and boxes whose error is above the bound are subdivided, level by level. The points of all boxes of a
/// level are requested at once. `names` are those of the sizes. If the source is interrupted, the model is not complete: boxes that are
/// still open hold their parent's polynomial, or there are no pieces.
///
/// `thresholds` (find_thresholds) divide the domain into sides of little and of much work (flopcast). Each side is refined by itself, and
/// its pieces hold on this side only. Points of a box's grid on other sides are moved to this side. If no point of the side is found in a
/// box, all points of the box count.
Model refine(ModelKey key, std::vector<std::string> names, std::vector<Box> domain, const std::vector<Monomial>& basis,
             const RefinementOptions& options, const SampleSource& source,
             const std::function<void(const RefinementProgress&)>& progress = {}, std::span<const double> thresholds = {});

}  // namespace flopcast::model
