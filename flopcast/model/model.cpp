#include "flopcast/core/kernel_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "flopcast/support/error.hpp"

namespace flopcast::model {
namespace {

constexpr double steepest_exponent = 3;     // no kernel's complexity is above O(n^3)
constexpr double error_per_doubling = 0.5;  // error of an extrapolation

using Point = std::array<double, max_sizes>;

Point to_point(std::span<const std::int64_t> sizes) noexcept {
  Point point{};
  std::transform(sizes.begin(), sizes.end(), point.begin(), [](std::int64_t size) { return static_cast<double>(size); });
  return point;
}

Seconds seconds_at(const Piece& piece, const Point& point) noexcept {
  return std::max(piece.floor, value(piece.polynomial, std::span(point.data(), piece.polynomial.centre.size())));
}

/// Returns d log seconds / d log size in dimension d, from a step of one percent towards the middle of the box.
double local_exponent(const Piece& piece, const Point& point, std::size_t d) noexcept {
  constexpr double linear = 1;  // exponent if nothing better is known
  if (point[d] <= 0) {
    return linear;
  }
  const double step = point[d] > piece.polynomial.centre[d] ? -0.01 : 0.01;
  Point beside = point;
  beside[d] *= 1 + step;
  const double exponent = std::log(seconds_at(piece, beside) / seconds_at(piece, point)) / std::log1p(step);
  return std::isfinite(exponent) ? std::clamp(exponent, 0.0, steepest_exponent) : linear;
}

Estimate extrapolate(const Piece& piece, const Sizes& inside, std::span<const std::int64_t> sizes) {
  const Point point = to_point(inside);
  Estimate estimate{seconds_at(piece, point), piece.error.deviation, true};
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == inside[d]) {
      continue;
    }
    const double nearest = std::max(1.0, point[d]);
    const auto size = static_cast<double>(sizes[d]);
    estimate.seconds *= std::pow(std::max(0.0, size) / nearest, local_exponent(piece, point, d));
    estimate.relative_error += error_per_doubling * std::fabs(std::log2(std::max(1.0, size) / nearest));
  }
  return estimate;
}

const Piece& first_that_holds(const Model& model, std::span<const std::int64_t> sizes) {
  for (const Piece& piece : model.pieces) {
    if (holds(model, piece, sizes)) {
      return piece;
    }
  }
  throw internal_error("model {} has no piece at ({})", name(model), fmt::join(sizes, ", "));
}

bool in_domain(const Model& model, std::span<const std::int64_t> sizes) noexcept {
  return std::any_of(model.domain.begin(), model.domain.end(), [&](const Box& box) { return box.contains(sizes); });
}

/// Replaces characters that aren't allowed in a model's name, which needs no quoting in a shell or as a file name.
std::string plain(std::string text) {
  std::replace(text.begin(), text.end(), '-', 'm');
  std::replace(text.begin(), text.end(), '.', '_');
  return text;
}

}  // namespace

bool holds(const Model& model, const Piece& piece, std::span<const std::int64_t> sizes) noexcept {
  if (!piece.box.contains(sizes)) {
    return false;
  }
  if (model.footprint.monomials.empty()) {
    return true;
  }
  const Point point = to_point(sizes);
  const double bytes = value(model.footprint, std::span(point.data(), sizes.size()));
  return bytes >= piece.bytes_low && bytes < piece.bytes_high;
}

Estimate evaluate(const Model& model, std::span<const std::int64_t> sizes) {
  if (sizes.size() != model.sizes.size()) {
    throw bad_input("model of {} takes {} sizes ({}), but {} were given", model.key.routine, model.sizes.size(),
                    fmt::join(model.sizes, ", "), sizes.size());
  }
  if (in_domain(model, sizes)) {
    const Piece& piece = first_that_holds(model, sizes);
    return {seconds_at(piece, to_point(sizes)), piece.error.deviation, false};
  }
  const Sizes inside = nearest_point(nearest_box(model.domain, sizes), sizes);
  return extrapolate(first_that_holds(model, inside), inside, sizes);
}

std::string name(const Model& model) {
  std::string text = model.key.routine;
  for (const std::string& part : {model.key.flags, model.key.scalars}) {
    text += part.empty() ? "" : fmt::format(".{}", plain(part));
  }
  if (model.key.strides.find_first_not_of(".1") != std::string::npos) {
    text += fmt::format(".{}", plain(model.key.strides));
  }
  text += "." + model.key.cache;
  if (model.key.threads != 1) {
    text += fmt::format(".x{}", model.key.threads);
  }
  return fmt::format("{}.{}.{}", text, model.generator, model.key.library.substr(0, 8));
}

}  // namespace flopcast::model
