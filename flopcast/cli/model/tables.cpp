#include "flopcast/cli/model/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"
#include "flopcast/cli/shared/interrupt.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/cli/shared/result_files.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/modelling/model_check.hpp"
#include "flopcast/workbench/workbench.hpp"

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

Columns<model::Piece> piece_columns(const model::Model& model) {
  using model::FitError;
  using model::Piece;
  const auto error = [](double FitError::*member) { return [member](const Piece& piece) { return percent(piece.error.*member); }; };
  const bool is_product = !model.options.thresholds.empty();
  Columns<Piece> columns;
  columns.add(shown<&Piece::box>("piece"), [&model](const Piece& piece) { return describe(model.sizes, piece.box); });
  if (!model.footprint.monomials.empty()) {
    const report::Column product =
        texts(interval(number_column("size_product", "product of sizes", "", "product of the sizes for which the polynomial holds")));
    const report::Column footprint =
        texts(interval(number_column("footprint", "footprint", "B", "bytes of the operands for which the polynomial holds")));
    columns.add(is_product ? product : footprint, [is_product](const Piece& piece) {
      const auto text = [&](double value) { return is_product ? fmt::format("{:.3g}", value) : format_bytes(value); };
      return report::Cell(piece.bytes_low, piece.bytes_high,
                          text(piece.bytes_low) + (std::isfinite(piece.bytes_high) ? " to " + text(piece.bytes_high) : " or more"));
    });
  }
  columns.show<&Piece::samples>("points");
  columns.number("monomials", "monomials", "", "terms of the polynomial",
                 [](const Piece& piece) { return piece.polynomial.monomials.size(); });
  columns.add(shown<&FitError::maximum>("largest_error"), error(&FitError::maximum));
  columns.add(shown<&FitError::mean>("mean_error"), error(&FitError::mean));
  columns.add(shown<&FitError::deviation>(), error(&FitError::deviation));
  return columns;
}

Columns<ModelSummary> model_columns() {
  Columns<ModelSummary> columns;
  columns.show<&ModelSummary::name>("model");
  columns.add(shown<&ModelSummary::domain>(), [](const ModelSummary& model) { return describe_domain(model.sizes, model.domain); });
  columns.show<&ModelSummary::pieces>();
  columns.show<&ModelSummary::samples>("points");
  columns.add(shown<&ModelSummary::largest_error>(), [](const ModelSummary& model) { return percent(model.largest_error); });
  return columns;
}

std::string check_footer() {
  return R"(Every point is predicted from the store as 'flopcast predict' does it, and then measured between the calls among
which it was sampled. Up to half of the points are held out: predictions don't use their samples.

More:
Columns:
)" + columns_help(check_columns()) +
         R"(
The verdict is one of
  holds      as many runs lie within their intervals as promised
  narrow     too few do, although the samples hold
  replaced   samples no longer held, by two series of runs: new ones stand in their place
  doubtful   samples may no longer hold, but the machine was noisy or the time was too short
  too few    fewer than three points

Examples:
  flopcast model check
  flopcast model check dgemm dtrsm --time-budget 1min --output check.json --json)";
}

struct CheckArguments {
  ModelCheckRequest request;
  machine::LibraryChoice libraries;
  ResultFiles files;
};

void run_check(const CheckArguments& given, const CommonOptions& common) {
  const Workbench bench(given.libraries, run_context(common));
  const ModelCheck check = check_models(bench, given.request, run_context(common));
  if (common.json) {
    emit_document(check, common);
  } else {
    emit(check_table(check), common);
  }
  write_result_files(check, given.files, common);
  for (const std::string& text : remarks(check)) {
    note(text, common);
  }
  throw_if_interrupted(check.complete ? "what was checked is shown" : "what was checked is shown, and the store is as it was");
}

}  // namespace

report::Table pieces_table(const model::Model& model) { return piece_columns(model).table(model.pieces); }

report::Table models_table(const ModelList& list) { return model_columns().table(list.models); }

std::vector<TableColumns> model_tables() {
  model::Model levels;
  levels.footprint.monomials.emplace_back();
  TableColumns models = {"model", model_columns().headings()};
  models.with(piece_columns(levels).headings());
  levels.options.thresholds.emplace_back();
  models.with(piece_columns(levels).headings());
  return {models, {"model check", check_columns()}};
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

void add_check(OptionSet& model, CommonOptions& common) {
  auto given = std::make_shared<CheckArguments>();
  OptionSet command = model.add_command("check", "Measure a random part of what models on demand know and replace what no longer holds");
  add_request(command, given->request);
  add_library_options(command, given->libraries);
  add_result_files(command, given->files);
  command.footer(check_footer());
  command.action([given, &common] { run_check(*given, common); });
}

}  // namespace flopcast::cli
