#include "flopcast/cli/predict/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/prediction_legend.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

using report::Cell;

report::Table kernel_table(const Prediction& prediction) {
  report::Table table;
  table.columns =
      columns<"predict explain">({"kernel", "calls", "seconds", "share", "deviation_seconds", "flops_per_second", "extrapolated_share"});
  for (const Prediction::Kernel& kernel : prediction.kernels) {
    const double rate = kernel.seconds > 0 ? kernel.flops / kernel.seconds : 0;
    const double share = kernel.seconds > 0 ? kernel.extrapolated / kernel.seconds : 0;
    table.rows.push_back({to_string(kernel.key),
                          report::whole(kernel.calls),
                          {kernel.seconds, format_seconds(kernel.seconds)},
                          {kernel.seconds / prediction.seconds, fmt::format("{:.1f}", 100 * kernel.seconds / prediction.seconds)},
                          {kernel.deviation, format_seconds(kernel.deviation)},
                          {rate, format_flop_rate(rate)},
                          {share, format_percent(share)}});
  }
  return table;
}

report::Table call_table(const Prediction& prediction) {
  report::Table table;
  table.columns = columns<"predict explain">({"call", "kernel", "sizes", "seconds", "relative_error", "extrapolated"});
  for (const Prediction::Call& call : prediction.calls.value()) {
    table.rows.push_back({report::whole(static_cast<long long>(table.rows.size())),
                          call.routine + " " + call.flags,
                          fmt::format("{}", fmt::join(call.sizes, "x")),
                          {call.seconds, format_seconds(call.seconds)},
                          {call.relative_error, format_percent(call.relative_error)},
                          call.extrapolated ? "yes" : "no"});
  }
  return table;
}

/// Adds the cells that compare with the models' expectation and the recorded time, where any prediction has them.
void add_comparison(std::vector<Cell>& row, const Prediction& prediction, bool compared, bool recorded) {
  if (compared) {
    const Seconds seconds = prediction.by_models.value_or(prediction.seconds);
    row.emplace_back(seconds, format_seconds(seconds));
  }
  if (recorded) {
    const Seconds seconds = prediction.recorded.value_or(0);
    const double change = seconds > 0 ? prediction.seconds / seconds - 1 : 0;
    constexpr double shown = 0.0005;  // less is shown as nothing, not as minus nothing
    row.emplace_back(seconds, format_seconds(seconds));
    row.emplace_back(change, fmt::format("{:+.1f} %", std::fabs(change) < shown ? 0.0 : 100 * change));
  }
}

}  // namespace

report::Table summary_table(const Predictions& predictions) {
  const std::vector<Prediction>& all = predictions.predictions;
  const auto any = [&all](auto has) { return std::any_of(all.begin(), all.end(), has); };
  const bool recorded = any([](const Prediction& p) { return p.recorded.has_value(); });
  const bool compared = any([](const Prediction& p) { return p.by_models.has_value(); });
  const bool threads = any([](const Prediction& p) { return p.is_thread; });
  report::Table table;
  table.columns = {threads ? column<"predict">("thread") : column<"predict">("n")};
  add_columns<"predict">(table.columns, {"nb", "seconds", "low_seconds", "high_seconds", "flops_per_second", "extrapolated_share"});
  if (compared) {
    table.columns.push_back(column<"predict">("models_seconds"));
  }
  if (recorded) {
    add_columns<"predict">(table.columns, {"measured_seconds", "error"});
  }
  for (const Prediction& prediction : all) {
    const double share = prediction.extrapolated_share;
    const double rate = prediction.seconds > 0 ? prediction.flops / prediction.seconds : 0;
    std::vector<Cell> row = {prediction.sizes,
                             prediction.blocks,
                             {prediction.seconds, format_seconds(prediction.seconds)},
                             {prediction.interval.low, format_seconds(prediction.interval.low)},
                             {prediction.interval.high, format_seconds(prediction.interval.high)},
                             {rate, format_flop_rate(rate)},
                             {share, format_percent(share), share > 0.01 ? report::Tone::bad : report::Tone::plain}};
    add_comparison(row, prediction, compared, recorded);
    table.rows.push_back(std::move(row));
  }
  table.footnote = prediction_legend("predicted", "lie from low to high") +
                   own_code_legend(predictions.own_code_seconds, predictions.own_code_share,
                                   recorded ? "the recorded run" : "the run with the calls as predicted");
  return table;
}

std::string explanation(const Prediction& prediction, const CommonOptions& common) {
  const std::string what =
      prediction.is_thread ? "thread " + prediction.sizes : fmt::format("n = {}, nb = {}", prediction.sizes, prediction.blocks);
  return fmt::format("\n{}, by kernel:\n{}\nby call:\n{}", what, render(kernel_table(prediction), common),
                     render(call_table(prediction), common));
}

}  // namespace flopcast::cli
