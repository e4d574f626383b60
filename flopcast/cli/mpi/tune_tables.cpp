#include "flopcast/cli/mpi/tune_tables.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/cli/mpi/profile_tables.hpp"
#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/prediction_legend.hpp"

namespace flopcast::cli {
namespace {

report::Cell seconds_if(const std::optional<Seconds>& seconds) { return seconds ? seconds_cell(*seconds) : report::Cell(""); }

/// Columns that are there only if they have something to say.
struct ShownColumns {
  bool validates = false;
  bool full = false;     ///< columns on executions in full
  bool blocked = false;  ///< the column on time in which processes did nothing
};

std::vector<report::Cell> row_of(const MpiConfiguration& each, std::size_t columns, const ShownColumns& shown) {
  if (each.verdict == MpiVerdict::failed) {
    std::vector<report::Cell> row(columns, report::Cell(""));
    row.front() = to_string(each.setting);
    row.back() = to_string(each.verdict);
    return row;
  }
  std::vector<report::Cell> row = {
      to_string(each.setting),        seconds_if(each.predicted),           seconds_if(each.half_width),
      percent_cell(each.coverage, 1), percent_cell(each.executed_share, 1), seconds_cell(each.elapsed + each.self_check)};
  if (shown.blocked) {
    row.push_back(seconds_cell(each.blocked));
  }
  if (shown.full && (shown.validates || each.finalist)) {
    row.push_back(seconds_if(each.full_path));
    row.push_back(seconds_if(each.full_elapsed));
    row.push_back(each.predicted && each.full_path ? percent_cell(*each.predicted - *each.full_path, *each.full_path) : report::Cell(""));
  } else if (shown.full) {
    row.insert(row.end(), 3, report::Cell(""));
  }
  row.emplace_back(to_string(each.verdict));
  return row;
}

/// Returns the definition of the predictions, for the foot of the table.
std::string legend_of(std::optional<protocol::MpiClock> clock) {
  if (clock == protocol::MpiClock::cpu) {
    return "predicted: length of the critical path, in CPU time and modelled messages;\n95 % of such runs lie within +- of it\n";
  }
  return prediction_legend("predicted", "lie within +- of it") + "The time is that of the critical path.\n";
}

}  // namespace

report::Table tuning_table(const MpiTuning& tuning) {
  const auto any = [&tuning](auto has) { return std::any_of(tuning.configurations.begin(), tuning.configurations.end(), has); };
  ShownColumns shown;
  shown.validates = tuning.full_seconds.has_value();
  shown.full = shown.validates || any([](const MpiConfiguration& each) { return each.finalist; });
  shown.blocked = any([](const MpiConfiguration& each) { return each.blocked > 0; });
  report::Table table;
  table.columns = columns<"mpi tune">(
      {"configuration", "predicted_seconds", "half_width_seconds", "percent_seen", "percent_executed", "elapsed_seconds"});
  if (shown.blocked) {
    add_columns<"mpi tune">(table.columns, {"blocked_seconds"});
  }
  if (shown.full) {
    add_columns<"mpi tune">(table.columns, {"full_path_seconds", "full_elapsed_seconds", "error_percent"});
  }
  table.columns.push_back(column<"mpi tune">("verdict"));
  for (const MpiConfiguration& each : tuning.configurations) {
    table.rows.push_back(row_of(each, table.columns.size(), shown));
  }
  table.footnote = legend_of(tuning.clock);
  return table;
}

}  // namespace flopcast::cli
