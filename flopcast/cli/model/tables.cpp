#include "flopcast/cli/model/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <utility>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

std::string describe(const std::vector<std::string>& names, const model::Box& box) {
  std::vector<std::string> parts;
  for (std::size_t d = 0; d < names.size(); ++d) {
    parts.push_back(box.low[d] == box.high[d] ? fmt::format("{}={}", names[d], box.low[d])
                                              : fmt::format("{}={}:{}", names[d], box.low[d], box.high[d]));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string describe_domain(const std::vector<std::string>& sizes, const std::vector<model::Box>& domain) {
  std::string text;
  for (const model::Box& box : domain) {
    text += (text.empty() ? "" : ", ") + describe(sizes, box);
  }
  return text;
}

report::Cell percent(double share) { return {share, fmt::format("{:.2f} %", 100 * share)}; }

}  // namespace

report::Table pieces_table(const model::Model& model) {
  const bool levels = !model.footprint.monomials.empty();
  const bool thresholds = !model.options.thresholds.empty();
  report::Table table{columns<"model">({"piece", "points", "monomials", "largest error", "mean error", "deviation"}), {}};
  if (levels) {
    table.columns.insert(table.columns.begin() + 1, thresholds ? column<"model">("product of sizes") : column<"model">("footprint"));
  }
  for (const model::Piece& piece : model.pieces) {
    std::vector<report::Cell> row = {describe(model.sizes, piece.box),
                                     report::whole(piece.samples),
                                     report::whole(static_cast<long long>(piece.polynomial.monomials.size())),
                                     percent(piece.error.maximum),
                                     percent(piece.error.mean),
                                     percent(piece.error.deviation)};
    if (levels) {
      const auto text = [&](double value) { return thresholds ? fmt::format("{:.3g}", value) : format_bytes(value); };
      const std::string end = std::isfinite(piece.bytes_high) ? " to " + text(piece.bytes_high) : " or more";
      row.insert(row.begin() + 1, text(piece.bytes_low) + end);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table models_table(const ModelList& list) {
  report::Table table{columns<"model">({"model", "domain", "pieces", "points", "largest_error"}), {}};
  for (const ModelSummary& model : list.models) {
    table.rows.push_back({model.name, describe_domain(model.sizes, model.domain), report::whole(model.pieces), report::whole(model.samples),
                          percent(model.largest_error)});
  }
  return table;
}

std::string to_text(const ModelBuild& build) {
  return fmt::format("{} {}: {} from {}, largest error at a sample {:.1f} %", name(build.model), build.replaced ? "replaced" : "stored",
                     counted(build.model.pieces.size(), "piece"), counted(build.model.cost.samples, "point"),
                     100 * largest_error(build.model));
}

std::string to_text(const ModelPlan& plan) {
  const std::string points = plan.method == ModelMethod::refine
                                 ? fmt::format("{} points at first, more where a polynomial doesn't fit", plan.points)
                                 : fmt::format("at least {} points per memory level", plan.points);
  return fmt::format("{}: {}; the store has {} in this domain", to_string(plan.key), points, plan.known);
}

std::string description(const model::Model& model) {
  return fmt::format("{}\n{}, {} from {} in {}", name(model), describe_domain(model.sizes, model.domain),
                     counted(model.pieces.size(), "piece"), counted(model.cost.samples, "point"), format_seconds(model.cost.seconds));
}

}  // namespace flopcast::cli
