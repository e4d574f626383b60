#include "flopcast/cli/predict/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/prediction_legend.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

using report::Cell;

using Kernel = Prediction::Kernel;

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

Columns<Kernel> kernel_columns(const Prediction& prediction) {
  Columns<Kernel> columns;
  columns.show<&Kernel::key>("kernel");
  columns.show<&Kernel::calls>();
  columns.show<&Kernel::seconds>();
  columns.number("share", "time %", "fraction", "the kernel's part of the predicted time",
                 [all = prediction.seconds](const Kernel& kernel) {
                   return Cell(kernel.seconds / all, fmt::format("{:.1f}", 100 * kernel.seconds / all));
                 });
  columns.show<&Kernel::deviation>("deviation_seconds", "+/-");
  columns.number("flops_per_second", "rate", "flop/s", "flops over the predicted time",
                 [](const Kernel& kernel) { return ratio(kernel.flops, kernel.seconds); });
  columns.number("extrapolated_share", "extrapolated", "fraction", "share of the time outside of samples", Best::small,
                 [](const Kernel& kernel) { return ratio(kernel.extrapolated, kernel.seconds); });
  return columns;
}

/// A call, and its number in the trace from 0.
using NumberedCall = std::pair<std::size_t, const Prediction::Call*>;

Columns<NumberedCall> call_columns() {
  using Call = Prediction::Call;
  Columns<NumberedCall> columns;
  columns.number("call", "call", "", "number of the call in the trace, from 0", &NumberedCall::first);
  columns.text("kernel", "kernel", "routine with flags",
               [](const NumberedCall& call) { return call.second->routine + " " + call.second->flags; });
  columns.add(shown<&Call::sizes>(), [](const NumberedCall& call) { return fmt::format("{}", fmt::join(call.second->sizes, "x")); });
  columns.add(shown<&Call::seconds>(), [](const NumberedCall& call) { return call.second->seconds; });
  columns.add(shown<&Call::relative_error>("", "+/-"), [](const NumberedCall& call) { return call.second->relative_error; });
  columns.add(shown<&Call::extrapolated>(), [](const NumberedCall& call) { return call.second->extrapolated; });
  return columns;
}

/// Returns the block size, and the crossover point if one was given, as two values.
Cell block_cell(const Prediction& prediction) {
  const std::string& text = prediction.blocks;
  const std::size_t slash = text.find(" / ");
  Cell cell = text;
  if (slash != std::string::npos) {
    cell.raw = text.substr(0, slash);
    cell.second = text.substr(slash + 3);
  }
  return cell;
}

/// Columns of a table of predictions that aren't always there.
struct Shown {
  bool threads = false;   ///< threads of a recorded program in place of sizes
  bool compared = false;  ///< the models' expectation
  bool recorded = false;  ///< the recorded time
};

Columns<Prediction> columns_of(const Shown& what) {
  Columns<Prediction> columns;
  columns.add(numbers(shown<&Prediction::sizes>(what.threads ? "thread" : "n")), &Prediction::sizes);
  columns.add(pairs(numbers(shown<&Prediction::blocks>("nb")), "nx"), block_cell);
  columns.show<&Prediction::seconds>("", "predicted");
  columns.show_ends<&Prediction::interval>("seconds", "low", "high");
  columns.number("flops_per_second", "rate", "flop/s", "flops over the predicted time",
                 [](const Prediction& prediction) { return ratio(prediction.flops, prediction.seconds); });
  columns.add(shown<&Prediction::extrapolated_share>("", "extrapolated"), [](const Prediction& prediction) {
    const double share = prediction.extrapolated_share;
    return Cell(share, format_percent(share), share > 0.01 ? report::Tone::bad : report::Tone::plain);
  });
  if (!what.threads) {
    columns.show<&Prediction::resident_bytes>("", "memory");
  }
  if (what.compared) {
    columns.add(shown<&Prediction::by_models>("", "by models"),
                [](const Prediction& prediction) { return prediction.by_models.value_or(prediction.seconds); });
  }
  if (what.recorded) {
    columns.add(shown<&Prediction::recorded>("", "recorded"), [](const Prediction& prediction) { return prediction.recorded.value_or(0); });
    columns.number("error", "predicted / recorded - 1", "fraction", "predicted over recorded time, minus 1; best near 0",
                   [](const Prediction& prediction) {
                     constexpr double least_shown = 0.0005;  // less is shown as nothing, not as minus nothing
                     const Seconds seconds = prediction.recorded.value_or(0);
                     const double change = seconds > 0 ? prediction.seconds / seconds - 1 : 0;
                     return Cell(change, fmt::format("{:+.1f} %", std::fabs(change) < least_shown ? 0.0 : 100 * change));
                   });
  }
  return columns;
}

/// Returns a line on the memory of a recorded program.
std::string memory_legend(const Predictions& predictions) {
  return predictions.resident_bytes
             ? fmt::format("resident memory: {} at its recorded peak\n", format_bytes(static_cast<double>(*predictions.resident_bytes)))
             : "";
}

}  // namespace

report::Table summary_table(const Predictions& predictions) {
  const std::vector<Prediction>& all = predictions.predictions;
  const auto any = [&all](auto has) { return std::any_of(all.begin(), all.end(), has); };
  const Shown what = {any(std::mem_fn(&Prediction::is_thread)), any([](const Prediction& p) { return p.by_models.has_value(); }),
                      any([](const Prediction& p) { return p.recorded.has_value(); })};
  return columns_of(what).table(all, prediction_legend("predicted", "lie from low to high") +
                                         own_code_legend(predictions.own_code_seconds, predictions.own_code_share,
                                                         what.recorded ? "the recorded run" : "the run with the calls as predicted") +
                                         memory_legend(predictions));
}

std::vector<TableColumns> predict_tables() {
  TableColumns predictions = {"predict", columns_of({}).headings()};
  predictions.columns.insert(predictions.columns.begin() + 1, columns_of({.threads = true}).headings().front());
  predictions.with(columns_of({true, true, true}).headings());
  return {predictions, TableColumns{"predict explain", kernel_columns({}).headings()}.with(call_columns().headings())};
}

std::string explanation(const Prediction& prediction, const CommonOptions& common) {
  const std::string what =
      prediction.is_thread ? "thread " + prediction.sizes : fmt::format("n = {}, nb = {}", prediction.sizes, prediction.blocks);
  std::vector<NumberedCall> calls;
  for (const Prediction::Call& call : prediction.calls.value()) {
    calls.emplace_back(calls.size(), &call);
  }
  return fmt::format("\n{}, by kernel:\n{}\nby call:\n{}", what, render(kernel_columns(prediction).table(prediction.kernels), common),
                     render(call_columns().table(calls), common));
}

}  // namespace flopcast::cli
