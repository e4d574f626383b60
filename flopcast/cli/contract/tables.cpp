#include "flopcast/cli/contract/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/prediction_legend.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

report::Table ranking_table(const AlgorithmRanking& ranking, bool is_validated, std::size_t rows) {
  report::Table table{columns<"contract">({"algorithm", "predicted_seconds", "predicted_seconds interval", "flops/cycle", "tie"}), {}};
  if (is_validated) {
    add_columns<"contract">(table.columns, {"measured_seconds", "error"});
  }
  for (std::size_t row = 0; row < rows; ++row) {
    const RankedAlgorithm& one = ranking.algorithms[row];
    const Interval& interval = one.forecast.interval;
    std::vector<report::Cell> cells = {
        one.algorithm.name(),
        report::Cell(one.forecast.seconds, format_seconds(one.forecast.seconds)),
        {interval.low, interval.high, fmt::format("{} .. {}", format_seconds(interval.low), format_seconds(interval.high))},
        report::Cell(one.flops_per_cycle, fmt::format("{:.2f}", one.flops_per_cycle)),
        row == 0 || one.tie ? "*" : ""};
    if (is_validated && !one.measured_seconds) {
      cells.insert(cells.end(), {report::Cell(""), report::Cell("")});
    } else if (is_validated) {
      const double error = one.forecast.seconds / *one.measured_seconds - 1;
      cells.push_back(report::Cell(*one.measured_seconds, format_seconds(*one.measured_seconds)));
      cells.push_back(report::Cell(error, format_percent(error)));
    }
    table.rows.push_back(std::move(cells));
  }
  table.footnote = prediction_legend("predicted", "lie within the interval beside it");
  return table;
}

report::Table run_table(const ContractionResult& run) {
  const Seconds seconds = median(run.times);
  return {columns<"contract">({"contraction", "planning_seconds", "expected_seconds", "seconds", "flops_per_second"}),
          {{run.expression, report::Cell(run.planning_seconds, format_seconds(run.planning_seconds)),
            report::Cell(run.plan.seconds, format_seconds(run.plan.seconds)), report::Cell(seconds, format_seconds(seconds)),
            report::Cell(run.flops_per_second, format_flop_rate(run.flops_per_second))}},
          prediction_legend("expected")};
}

std::vector<report::Cell> step_row(const PlannedStep& step) {
  return {step.step, report::Cell(step.executions, fmt::format("{:.6g}", step.executions)),
          report::Cell(step.flops, fmt::format("{:.3g}", step.flops)), report::Cell(step.bytes, format_bytes(step.bytes)),
          report::Cell(step.seconds, format_seconds(step.seconds))};
}

/// Returns the steps of a plan; `with_sum` adds a row for all of them.
report::Table step_table(const PlannedSteps& planned, bool with_sum) {
  report::Table table{
      columns<"contract">({"step", "executions", "flops", "moved_bytes", "predicted_seconds"}), {}, prediction_legend("predicted")};
  PlannedStep all{"all", 0};
  for (const PlannedStep& step : planned.steps) {
    table.rows.push_back(step_row(step));
    all.flops += step.flops;
    all.bytes += step.bytes;
    all.seconds += step.seconds;
  }
  if (with_sum && planned.steps.size() > 1) {
    table.rows.push_back(step_row(all));
    table.rows.back()[1] = "";
  }
  return table;
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
  report::Table table{columns<"contract">({"algorithm", "kernel", "along", "copies", "kernel calls"}), {}};
  for (const contract::Algorithm& algorithm : list.algorithms) {
    std::string copies;
    for (const contract::Copy& copy : algorithm.copies) {
      copies += contract::letter(copy.operand);
    }
    table.rows.push_back({algorithm.name(), std::string(contract::name(algorithm.kernel)), algorithm.kernel_indices, copies,
                          report::whole(static_cast<long long>(contract::kernel_calls(algorithm, list.contraction)))});
  }
  emit(table, common);
}

void show_result(const ContractionResult& result, const CommonOptions& common) {
  if (common.json) {
    emit_document(result, common);
    return;
  }
  const bool is_tree = result.steps.steps.size() > 1, is_executed = !result.times.empty();
  if (!is_executed) {
    emit(step_table(result.steps, !common.csv), common);
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
  emit(ranking_table(ranking, is_validated, all || is_validated ? count : std::min(max_rows, count)), common);
  double total = 0;
  for (const RankedAlgorithm& one : ranking.algorithms) {
    total += one.forecast.seconds;
  }
  note(fmt::format("{} predicted from {} (shared {} times, {} known from earlier runs) in {}; executing each once would take {}",
                   counted(count, "algorithm"), counted(ranking.benchmarks, "micro-benchmark"), ranking.shared, ranking.known,
                   format_seconds(ranking.cost_seconds), format_seconds(total)),
       common);
  if (ranking.mean_error) {
    note(fmt::format("average error {}; the algorithm predicted to be the fastest takes {} longer than the fastest",
                     format_percent(*ranking.mean_error), ranking.regret ? format_percent(*ranking.regret) : "an unknown time"),
         common);
  }
}

}  // namespace flopcast::cli
