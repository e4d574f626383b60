#include "flopcast/cli/mpi/tables.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"

namespace flopcast::cli {
namespace {

/// Efficiencies of a run or of a part of one, with its name.
using NamedEfficiencies = std::pair<std::string, MpiEfficiencies>;

Columns<NamedEfficiencies> efficiency_columns() {
  using E = MpiEfficiencies;
  Columns<NamedEfficiencies> columns;
  const auto show = [&columns](const char* name, const char* title, const char* meaning, auto E::*member) {
    columns.number(name, title, "%", meaning, Best::large, [member](const NamedEfficiencies& row) {
      const std::optional<double> value = row.second.*member;
      return value ? percent_cell(*value, 1) : report::Cell("");
    });
  };
  columns.text("scope", "", "the run, or a region in all processes", &NamedEfficiencies::first);
  columns.number("run_seconds", "time", "s", "time of which the efficiencies are parts", Best::small, &NamedEfficiencies::second, &E::run);
  show("parallel_percent", "% parallel efficiency",
       "mean computation of a process over the time: load balance times communication efficiency", &E::parallel);
  show("load_balance_percent", "% load balance", "mean computation of a process over the most of one", &E::load_balance);
  show("communication_percent", "% communication efficiency",
       "most computation of a process over the time: serialisation times transfer efficiency", &E::communication);
  show("serialisation_percent", "% serialisation efficiency",
       "most computation of a process over the time with a network that takes no time: what waiting for each other leaves",
       &E::serialisation);
  show("transfer_percent", "% transfer efficiency", "time with a network that takes no time over the time", &E::transfer);
  return columns;
}

}  // namespace

report::Table efficiency_table(const MpiEfficiencies& run, const std::vector<MpiRegion>& regions) {
  std::vector<NamedEfficiencies> rows = {{"run", run}};
  for (const MpiRegion& region : regions) {
    rows.emplace_back(region.name, region.efficiencies);
  }
  return efficiency_columns().table(rows);
}

std::vector<report::Column> efficiency_table_columns() { return efficiency_columns().headings(); }

}  // namespace flopcast::cli
