#include "flopcast/cli/contract/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/prediction_legend.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

report::Column algorithm_column() {
  return text_column("algorithm", "algorithm",
                     "the loops from the outside in, then the kernel; an apostrophe stands behind the loop that a copy is in");
}

Columns<RankedAlgorithm> ranking_columns(const AlgorithmRanking& ranking, bool is_validated) {
  using Forecast = contract::AlgorithmForecast;
  Columns<RankedAlgorithm> columns;
  columns.add(algorithm_column(), [](const RankedAlgorithm& one) { return one.algorithm.name(); });
  columns.add(shown<&Forecast::seconds>("predicted_seconds"), &RankedAlgorithm::forecast, &Forecast::seconds);
  columns.add(texts(interval(shown<&Forecast::interval>("predicted_seconds", "95 %"))), [](const RankedAlgorithm& one) {
    const Interval& range = one.forecast.interval;
    return report::Cell(range.low, range.high, fmt::format("{} .. {}", format_seconds(range.low), format_seconds(range.high)));
  });
  columns.add(shown<&RankedAlgorithm::flops_per_cycle>("flops/cycle"),
              [](const RankedAlgorithm& one) { return report::Cell(one.flops_per_cycle, fmt::format("{:.2f}", one.flops_per_cycle)); });
  columns.show<&RankedAlgorithm::resident_bytes>("", "memory");
  columns.text("tie", "tie", "a star, in CSV yes, if the algorithm ties with the fastest",
               [&ranking](const RankedAlgorithm& one) { return star_cell(one.tie || &one == &ranking.algorithms.front()); });
  if (is_validated) {
    columns.show<&RankedAlgorithm::measured_seconds>();
    columns.number("error", "error", "fraction", "predicted over measured time, minus 1; best near 0 (--validate)",
                   [](const RankedAlgorithm& one) {
                     return one.measured_seconds ? std::optional(one.forecast.seconds / *one.measured_seconds - 1) : std::nullopt;
                   });
  }
  return columns;
}

Columns<ContractionResult> run_columns() {
  Columns<ContractionResult> columns;
  columns.show<&ContractionResult::expression>("contraction");
  columns.show<&ContractionResult::planning_seconds>("", "planned in");
  columns.add(shown<&PlanSummary::seconds>("expected_seconds"), &ContractionResult::plan, &PlanSummary::seconds);
  columns.number("seconds", "takes", "s", "median time of an execution", [](const ContractionResult& run) { return median(run.times); });
  columns.show<&ContractionResult::flops_per_second>();
  columns.add(shown<&PlanSummary::resident_bytes>("", "memory"), &ContractionResult::plan, &PlanSummary::resident_bytes);
  return columns;
}

report::Table run_table(const ContractionResult& run) { return run_columns().table({&run, 1}, prediction_legend("expected")); }

Columns<PlannedStep> step_columns() {
  Columns<PlannedStep> columns;
  columns.show<&PlannedStep::step>();
  columns.add(shown<&PlannedStep::executions>(),
              [](const PlannedStep& step) { return report::Cell(step.executions, fmt::format("{:.6g}", step.executions)); });
  columns.add(shown<&PlannedStep::flops>(),
              [](const PlannedStep& step) { return report::Cell(step.flops, fmt::format("{:.3g}", step.flops)); });
  columns.show<&PlannedStep::bytes>("moved_bytes");
  columns.show<&PlannedStep::seconds>("predicted_seconds");
  return columns;
}

/// Returns the steps of a plan; `with_sum` adds a row for all of them.
report::Table step_table(const PlannedSteps& planned, bool with_sum) {
  const Columns<PlannedStep> columns = step_columns();
  report::Table table = columns.table(planned.steps, prediction_legend("predicted"));
  if (with_sum && planned.steps.size() > 1) {
    PlannedStep all{"all", 0};
    for (const PlannedStep& step : planned.steps) {
      all.flops += step.flops;
      all.bytes += step.bytes;
      all.seconds += step.seconds;
    }
    table.rows.push_back(columns.cells(all));
    table.rows.back()[1] = "";
  }
  return table;
}

Columns<contract::Algorithm> list_columns(const contract::Contraction& contraction) {
  using contract::Algorithm;
  Columns<Algorithm> columns;
  columns.add(algorithm_column(), [](const Algorithm& algorithm) { return algorithm.name(); });
  columns.add(only_with(shown<&Algorithm::kernel>(), "--list"),
              [](const Algorithm& algorithm) { return contract::name(algorithm.kernel); });
  columns.add(only_with(shown<&Algorithm::kernel_indices>("along"), "--list"), &Algorithm::kernel_indices);
  columns.add(only_with(shown<&Algorithm::copies>(), "--list"), [](const Algorithm& algorithm) {
    std::string copies;
    for (const contract::Copy& copy : algorithm.copies) {
      copies += contract::letter(copy.operand);
    }
    return copies;
  });
  columns.number("kernel_calls", "kernel calls", "", "number of calls of the kernel (--list)", Best::small,
                 [&contraction](const Algorithm& algorithm) {
                   return report::whole(static_cast<long long>(contract::kernel_calls(algorithm, contraction)));
                 });
  return columns;
}

/// Notes what the table of steps doesn't say.
void note_memory(const PlannedSteps& planned, std::int64_t workspace_bytes, const CommonOptions& common) {
  for (const BlockedLabel& blocked : planned.blocks) {
    const std::int64_t count = (blocked.size + blocked.block_size - 1) / blocked.block_size;
    note(fmt::format("label {} is cut into {} of at most {}, so that the intermediates have room", blocked.label, counted(count, "block"),
                     counted(blocked.block_size, "element")),
         common);
  }
  note(fmt::format("the intermediates take {}{}", format_bytes(static_cast<double>(workspace_bytes)),
                   planned.is_exhaustive ? "" : "; not every order of the operands was tried"),
       common);
}

}  // namespace

void show_list(const AlgorithmList& list, const CommonOptions& common) {
  if (common.json) {
    emit_document(list, common);
    return;
  }
  emit(list_columns(list.contraction).table(list.algorithms), common);
}

void show_result(const ContractionResult& result, const CommonOptions& common) {
  if (common.json) {
    emit_document(result, common);
    return;
  }
  const bool is_tree = result.steps.steps.size() > 1, is_executed = !result.times.empty();
  if (!is_executed) {
    emit(step_table(result.steps, !common.csv), common);
    note(fmt::format("resident memory: {} at its peak", format_bytes(static_cast<double>(result.plan.resident_bytes))), common);
  } else if (common.csv || !is_tree) {
    if (!common.csv) {
      note(result.plan.explanation, common);
    }
    emit(run_table(result), common);
  } else {
    report::Table steps = step_table(result.steps, true);
    steps.footnote.clear();  // the second table's says the same
    emit(render(steps, common) + '\n' + render(run_table(result), common), common);
  }
  if (is_tree && !(is_executed && common.csv)) {
    note_memory(result.steps, result.plan.workspace_bytes, common);
  } else if (!is_executed) {
    note(result.plan.explanation, common);
  }
}

void show_ranking(const AlgorithmRanking& ranking, bool all, const CommonOptions& common) {
  if (common.json) {
    emit_document(ranking, common);
    return;
  }
  constexpr std::size_t max_rows = 12;
  const bool is_validated = std::any_of(ranking.algorithms.begin(), ranking.algorithms.end(),
                                        [](const RankedAlgorithm& one) { return one.measured_seconds.has_value(); });
  const std::size_t count = ranking.algorithms.size();
  const std::size_t rows = all || is_validated ? count : std::min(max_rows, count);
  emit(ranking_columns(ranking, is_validated)
           .table(std::span(ranking.algorithms).first(rows), prediction_legend("predicted", "lie within the interval beside it")),
       common);
  double total = 0;
  for (const RankedAlgorithm& one : ranking.algorithms) {
    total += one.forecast.seconds;
  }
  note(fmt::format("{} predicted from {} (shared {} times, {} known from earlier runs) in {}; executing each once would take {}",
                   counted(count, "algorithm"), counted(ranking.cost.benchmarks, "micro-benchmark"), ranking.cost.shared,
                   ranking.cost.known, format_seconds(ranking.cost.seconds), format_seconds(total)),
       common);
  if (ranking.mean_error) {
    note(fmt::format("average error {}; the algorithm predicted to be the fastest takes {} longer than the fastest",
                     format_percent(*ranking.mean_error), ranking.regret ? format_percent(*ranking.regret) : "an unknown time"),
         common);
  }
}

std::vector<TableColumns> contract_tables() {
  TableColumns all = {"contract", ranking_columns({}, true).headings()};
  all.with(list_columns({}).headings()).with(step_columns().headings()).with(run_columns().headings());
  return {all, layout_tables()};
}

}  // namespace flopcast::cli
