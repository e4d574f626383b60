#include "flopcast/cli/mpi/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/parameter_column.hpp"
#include "flopcast/cli/shared/prediction_legend.hpp"
#include "flopcast/report/spread.hpp"

namespace flopcast::cli {
namespace {

/// Columns that are there only if they have something to say.
struct ShownColumns {
  bool validates = false;
  bool full = false;     ///< columns on executions in full
  bool blocked = false;  ///< the column on time in which processes did nothing
};

/// Returns the columns of configurations. Of those that failed, all cells but the first and the last are blank.
Columns<MpiConfiguration> columns_of(const ShownColumns& shown_columns) {
  using Row = MpiConfiguration;
  using report::Cell;
  Columns<Row> columns;
  const auto add = [&columns](report::Column column, auto value_of) {
    columns.add(std::move(column), [value_of, unit = column.unit](const Row& each) {
      return each.verdict == MpiVerdict::failed ? Cell("") : columns_detail::cell_of(std::invoke(value_of, each), unit);
    });
  };
  columns.add(shown<&Row::setting>(), [](const Row& each) { return search::to_string(each.setting); });
  add(shown<&Row::predicted>(), &Row::predicted);
  add(shown<&Row::half_width>("", "+-"), &Row::half_width);
  add(in_percent(shown<&Row::coverage>("percent_seen", "% seen")),
      [](const Row& each) { return percent_cell(std::min(each.coverage, 1.0), 1); });
  add(in_percent(shown<&Row::executed_share>("percent_executed", "% executed")),
      [](const Row& each) { return percent_cell(each.executed_share, 1); });
  add(number_column("elapsed_seconds", "run took", "s", "time of the selective execution, checks included"),
      [](const Row& each) { return each.elapsed + each.self_check; });
  if (shown_columns.blocked) {
    add(shown<&Row::blocked>(), &Row::blocked);
  }
  if (shown_columns.full) {
    const auto if_full = [validates = shown_columns.validates](auto value_of) {
      return [=](const Row& each) { return validates || each.finalist ? std::invoke(value_of, each) : std::nullopt; };
    };
    add(shown<&Row::full_path>(), if_full(&Row::full_path));
    add(shown<&Row::full_elapsed>("", "full run"), if_full(&Row::full_elapsed));
    add(number_column("error_percent", "error %", "%", "predicted over measured path, minus 1; best near 0 (--validate, --confirm)"),
        if_full([](const Row& each) {
          return each.predicted && each.full_path ? std::optional(percent_cell(*each.predicted - *each.full_path, *each.full_path))
                                                  : std::nullopt;
        }));
  }
  columns.add(titled(shown<&Row::verdict>(), ""), [](const Row& each) {
    return each.failure.empty() ? to_string(each.verdict) : fmt::format("{}: {}", to_string(each.verdict), each.failure);
  });
  return columns;
}

/// Returns the definition of the predictions, for the foot of the table.
std::string legend_of(std::optional<protocol::MpiClock> clock) {
  if (clock == protocol::MpiClock::cpu) {
    return "predicted: length of the critical path, in CPU time and modelled messages;\n95 % of such runs lie within +- of it\n";
  }
  return prediction_legend("predicted", "lie within +- of it") + "The time is that of the critical path.\n";
}

}  // namespace

report::Table tuning_table(const MpiTuning& tuning, bool csv) {
  const auto any = [&tuning](auto has) { return std::any_of(tuning.configurations.begin(), tuning.configurations.end(), has); };
  ShownColumns shown;
  shown.validates = tuning.full_seconds.has_value();
  shown.full = shown.validates || any(std::mem_fn(&MpiConfiguration::finalist));
  shown.blocked = any([](const MpiConfiguration& each) { return each.blocked > 0; });
  report::Table table = columns_of(shown).table(tuning.configurations, legend_of(tuning.clock));
  return csv ? report::spread(std::move(table), "configuration", tuning.configurations, &MpiConfiguration::setting) : table;
}

std::vector<report::Column> tuning_table_columns() {
  std::vector<report::Column> columns = columns_of({true, true, true}).headings();
  columns.push_back(parameter_column());
  return columns;
}

}  // namespace flopcast::cli
