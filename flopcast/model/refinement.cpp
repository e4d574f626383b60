#include "flopcast/model/refinement.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "flopcast/support/error.hpp"

namespace flopcast::model {
namespace {

/// A box to sample next, with what is known so far.
struct OpenBox {
  Box box;
  Side side;
  Piece parent;  ///< the fit of the enclosing box; none at level 0
};

double error_of(const FitError& error, ErrorType type) {
  switch (type) {
    case ErrorType::maximum: return error.maximum;
    case ErrorType::mean: return error.mean;
    case ErrorType::median: return error.median;
  }
  throw internal_error("error type {}", static_cast<int>(type));
}

double volume(const Box& box) {
  double product = 1;
  for (std::size_t d = 0; d < box.dimensions(); ++d) {
    product *= static_cast<double>(std::max<std::int64_t>(1, box.high[d] - box.low[d]));
  }
  return product;
}

void check(const std::vector<Box>& domain, std::size_t dimensions) {
  if (domain.empty()) {
    throw bad_input("refinement needs a domain of at least one box of sizes");
  }
  for (const Box& box : domain) {
    check(box);
    if (box.dimensions() != dimensions) {
      throw bad_input("a domain has {} sizes, expected {}", box.dimensions(), dimensions);
    }
  }
}

/// One run of refine(): the samples taken so far, and the fits to them.
class Refiner {
 public:
  Refiner(const std::vector<Monomial>& basis, const RefinementOptions& options) : basis_(basis), options_(options) {}

  /// Returns the points of the box's grid, all of them on the box's side if any point of the side is found.
  [[nodiscard]] std::vector<Sizes> grid(const OpenBox& item) const {
    std::vector<Sizes> points =
        grid_points(item.box, grid_counts(basis_, item.box, options_.oversampling), options_.grid, options_.min_width);
    std::set<Sizes> moved;
    for (const Sizes& point : points) {
      if (std::optional<Sizes> on_side = moved_to(item.side, item.box, point, options_.min_width)) {
        moved.insert(std::move(*on_side));
      }
    }
    return moved.empty() ? points : std::vector<Sizes>(moved.begin(), moved.end());
  }

  /// Returns the points of all boxes that are not sampled yet.
  [[nodiscard]] std::vector<Sizes> missing(const std::vector<OpenBox>& open) const {
    std::set<Sizes> points;
    for (const OpenBox& item : open) {
      for (Sizes& point : grid(item)) {
        if (!samples_.contains(point)) {
          points.insert(std::move(point));
        }
      }
    }
    return {points.begin(), points.end()};
  }

  void add(const std::vector<Sizes>& points, const std::vector<Seconds>& seconds) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      samples_.emplace(points[i], seconds.at(i));
    }
  }

  [[nodiscard]] Piece fit(const OpenBox& item) const {
    const Box& box = item.box;
    std::vector<Sizes> points = grid(item);
    if (options_.reuse) {
      const bool has_side = std::any_of(points.begin(), points.end(), [&](const Sizes& point) { return item.side.contains(point); });
      points.clear();
      for (const auto& [point, seconds] : samples_) {
        if (box.contains(point) && (!has_side || item.side.contains(point))) {
          points.push_back(point);
        }
      }
    }
    std::vector<Seconds> seconds;
    for (const Sizes& point : points) {
      seconds.push_back(samples_.at(point));
    }
    Fit fitted = fit_relative(basis_, box, points, seconds);
    Piece piece;
    piece.box = box;
    piece.bytes_low = item.side.low;
    piece.bytes_high = item.side.high;
    piece.polynomial = std::move(fitted.polynomial);
    piece.floor = 0.5 * *std::min_element(seconds.begin(), seconds.end());
    piece.error = fitted.error;
    piece.samples = static_cast<std::int64_t>(points.size());
    return piece;
  }

  [[nodiscard]] std::int64_t samples() const { return static_cast<std::int64_t>(samples_.size()); }

 private:
  const std::vector<Monomial>& basis_;
  const RefinementOptions& options_;
  std::map<Sizes, Seconds> samples_;
};

/// Fits every open box. Boxes that fit become pieces of `model`; the parts of the others are returned as the next open boxes.
std::vector<OpenBox> fit_boxes(const std::vector<OpenBox>& open, const Refiner& refiner, const RefinementOptions& options, int level,
                               Model& model) {
  std::vector<OpenBox> next;
  for (const OpenBox& item : open) {
    Piece piece = refiner.fit(item);
    std::vector<Box> parts;
    if (error_of(piece.error, options.error_type) > options.error_bound && level < options.max_depth) {
      parts = subdivide(item.box, options.min_size, options.min_width);
    }
    if (parts.size() < 2) {
      model.pieces.push_back(std::move(piece));
      continue;
    }
    for (Box& part : parts) {
      if (item.side.meets(part)) {
        next.push_back({std::move(part), item.side, piece});
      }
    }
  }
  return next;
}

/// Gives open boxes the polynomial of their enclosing box.
void close(const std::vector<OpenBox>& open, Model& model) {
  for (const OpenBox& item : open) {
    if (!item.parent.polynomial.monomials.empty()) {
      model.pieces.push_back(item.parent);
      model.pieces.back().box = item.box;
    }
  }
}

}  // namespace

std::vector<int> grid_counts(const std::vector<Monomial>& basis, const Box& box, int oversampling) {
  std::vector<int> counts = degrees(basis, box.dimensions());
  for (std::size_t d = 0; d < counts.size(); ++d) {
    counts[d] = box.low[d] == box.high[d] ? 1 : counts[d] + 1 + oversampling;
  }
  return counts;
}

Model refine(ModelKey key, std::vector<std::string> names, std::vector<Box> domain, const std::vector<Monomial>& basis,
             const RefinementOptions& options, const SampleSource& source, const std::function<void(const RefinementProgress&)>& progress,
             std::span<const double> thresholds) {
  check(options);
  check(domain, names.size());
  Model model;
  model.key = std::move(key);
  model.generator = "refined";
  model.options.refinement = options;
  model.sizes = std::move(names);
  model.domain = std::move(domain);

  Refiner refiner(basis, options);
  double whole = 0;
  std::vector<OpenBox> open;
  const std::vector<Side> all_sides = sides(thresholds);
  if (!thresholds.empty()) {
    model.footprint = product_polynomial(model.sizes.size());
    model.options.thresholds.assign(thresholds.begin(), thresholds.end());
  }
  for (const Box& box : model.domain) {
    for (const Side& side : all_sides) {
      if (side.meets(box)) {
        open.push_back({box, side, {}});
        whole += volume(box);
      }
    }
  }
  for (int level = 0; !open.empty(); ++level) {
    if (progress) {
      double left = 0;
      for (const OpenBox& item : open) {
        left += volume(item.box);
      }
      progress({level, refiner.samples(), static_cast<std::int64_t>(open.size()), 1 - left / whole});
    }
    const std::vector<Sizes> points = refiner.missing(open);
    const std::optional<MeasuredBatch> measured = points.empty() ? MeasuredBatch{} : source(points);
    if (!measured) {
      close(open, model);
      model.options.complete = false;
      break;
    }
    refiner.add(points, measured->seconds);
    model.cost.seconds += measured->spent;
    open = fit_boxes(open, refiner, options, level, model);
  }
  model.cost.samples = refiner.samples();
  return model;
}

}  // namespace flopcast::model
