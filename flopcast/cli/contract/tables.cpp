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

/// Shows a run of a contraction or of an expression.
template <class Run>
void show_run_of(const std::string& notation, const Run& run, const CommonOptions& common) {
  if (common.json) {
    emit_document(run, common);
    return;
  }
  if (!common.csv) {
    note(run.plan.explanation, common);
  }
  const Seconds seconds = median(run.times);
  emit(report::Table{columns<"contract">({"contraction", "planning_seconds", "expected_seconds", "seconds", "flops_per_second"}),
                     {{notation, report::Cell(run.planning_seconds, format_seconds(run.planning_seconds)),
                       report::Cell(run.plan.seconds, format_seconds(run.plan.seconds)), report::Cell(seconds, format_seconds(seconds)),
                       report::Cell(run.flops_per_second, format_flop_rate(run.flops_per_second))}},
                     prediction_legend("expected")},
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

void show_run(const ContractionRun& run, const CommonOptions& common) {
  show_run_of(contract::to_string(run.contraction.notation()), run, common);
}

void show_run(const EinsumRun& run, const CommonOptions& common) { show_run_of(run.expression, run, common); }

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
