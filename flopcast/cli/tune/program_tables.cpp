#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/parameter_column.hpp"
#include "flopcast/cli/tune/tables.hpp"
#include "flopcast/report/spread.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/advice.hpp"

namespace flopcast::cli {
namespace {

using report::Cell;

Columns<TunedConfiguration> configuration_columns() {
  using Row = TunedConfiguration;
  Columns<Row> columns;
  const auto add = [&columns](report::Column column, auto value_of) {
    columns.add(std::move(column), [value_of, unit = column.unit](const Row& row) {
      return row.predicted ? columns_detail::cell_of(std::invoke(value_of, row), unit) : Cell("");
    });
  };
  columns.add(shown<&Row::setting>(), [](const Row& row) { return search::to_string(row.setting); });
  columns.add(shown<&Row::verdict>(), [](const Row& row) {
    return report::toned(to_string(row.verdict), row.verdict == ConfigurationVerdict::chosen   ? report::Tone::good
                                                 : row.verdict == ConfigurationVerdict::failed ? report::Tone::bad
                                                                                               : report::Tone::plain);
  });
  add(shown<&Row::predicted>("", "predicted"), [](const Row& row) {
    constexpr double noticeable = 0.01;
    return Cell(*row.predicted, format_seconds(*row.predicted) + (row.extrapolated_share > noticeable ? " *" : ""));
  });
  add(interval(shown<&Row::interval>("predicted_seconds", "its 95 % interval")), [](const Row& row) {
    return Cell(row.interval->low, row.interval->high,
                fmt::format("{} to {}", format_seconds(row.interval->low), format_seconds(row.interval->high)));
  });
  add(shown<&Row::behind>(), [](const Row& row) { return Cell(row.behind, format_percent(row.behind)); });
  add(shown<&Row::kernel_seconds>("", "kernels"), &Row::kernel_seconds);
  add(shown<&Row::own_seconds>("", "own code"), &Row::own_seconds);
  columns.show<&Row::executed>("", "executed");
  columns.show<&Row::failure>();
  return columns;
}

}  // namespace

report::Table program_table(const ProgramTuning& tuning, bool csv) {
  std::string foot = fmt::format(
      "predicted for {}; * where over 1 % lies outside of what was sampled\n"
      "The chosen configuration takes at most {} longer than the best one (95 %).\n"
      "{} and {} took {}; the whole tuning took {}\n",
      tuning.place, format_percent(tuning.regret), counted(tuning.dry_runs, "dry run"), counted(tuning.executions, "execution"),
      format_seconds(tuning.run_seconds), format_seconds(tuning.all_seconds));
  report::Table table = configuration_columns().table(tuning.configurations, std::move(foot));
  return csv ? report::spread(std::move(table), "configuration", tuning.configurations, &TunedConfiguration::setting) : table;
}

std::vector<report::Column> program_table_columns() {
  std::vector<report::Column> columns = configuration_columns().headings();
  columns.push_back(parameter_column());
  return columns;
}

}  // namespace flopcast::cli
