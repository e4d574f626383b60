#include "flopcast/tasks/modelling/model_list.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

std::vector<std::size_t> varying(const model::Model& model) {
  std::vector<std::size_t> dimensions;
  for (std::size_t d = 0; d < model.sizes.size(); ++d) {
    if (std::any_of(model.domain.begin(), model.domain.end(), [&](const model::Box& box) { return box.low[d] != box.high[d]; })) {
      dimensions.push_back(d);
    }
  }
  return dimensions;
}

/// Evenly spread estimates along dimension d of every piece.
report::Figure curve(const model::Model& model, std::size_t d) {
  constexpr int points = 50;
  report::Series line{"model", {}, {}, {}, {}, report::Series::Style::line};
  report::Series ends{"ends of pieces", {}, {}, {}, {}, report::Series::Style::points};
  for (const model::Piece& piece : model.pieces) {
    for (int i = 0; i <= points; ++i) {
      model::Sizes sizes = piece.box.low;
      sizes[d] += (piece.box.high[d] - piece.box.low[d]) * i / points;
      line.x.push_back(static_cast<double>(sizes[d]));
      line.y.push_back(evaluate(model, sizes).seconds);
      if (i == 0 || i == points) {
        ends.x.push_back(line.x.back());
        ends.y.push_back(line.y.back());
      }
    }
  }
  return {name(model), {model.sizes[d]}, {"seconds"}, {std::move(line), std::move(ends)}};
}

report::Series outline(const model::Box& box, std::size_t a, std::size_t b) {
  const auto x0 = static_cast<double>(box.low[a]);
  const auto x1 = static_cast<double>(box.high[a]);
  const auto y0 = static_cast<double>(box.low[b]);
  const auto y1 = static_cast<double>(box.high[b]);
  return {"", {x0, x1, x1, x0, x0}, {y0, y0, y1, y1, y0}, {}, {}, report::Series::Style::line};
}

report::Figure partition(const model::Model& model, std::size_t a, std::size_t b) {
  constexpr std::array<double, 4> bounds = {0.01, 0.02, 0.05, INFINITY};
  report::Figure figure{name(model), {model.sizes[a]}, {model.sizes[b]}, {}};
  double lower = 0;
  for (const double upper : bounds) {
    report::Series marks{
        std::isfinite(upper) ? fmt::format("error up to {:.0f} %", 100 * upper) : "above", {}, {}, {}, {}, report::Series::Style::points};
    for (const model::Piece& piece : model.pieces) {
      if (piece.error.maximum > lower && piece.error.maximum <= upper) {
        marks.x.push_back(0.5 * static_cast<double>(piece.box.low[a] + piece.box.high[a]));
        marks.y.push_back(0.5 * static_cast<double>(piece.box.low[b] + piece.box.high[b]));
      }
    }
    lower = upper;
    if (!marks.x.empty()) {
      figure.series.push_back(std::move(marks));
    }
  }
  for (const model::Piece& piece : model.pieces) {
    figure.series.push_back(outline(piece.box, a, b));
  }
  return figure;
}

}  // namespace

report::Figure model_figure(const model::Model& model) {
  const std::vector<std::size_t> dimensions = varying(model);
  if (dimensions.size() == 1) {
    return curve(model, dimensions[0]);
  }
  if (dimensions.size() == 2) {
    return partition(model, dimensions[0], dimensions[1]);
  }
  throw bad_input("model {} varies in {} sizes; only one or two can be drawn", name(model), dimensions.size());
}

}  // namespace flopcast
