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

template <auto member>
void show_share(Columns<NamedEfficiencies>& columns, const char* name, const char* title) {
  columns.add(in_percent(shown<member>(name, title)), [](const NamedEfficiencies& row) {
    const std::optional<double> value = row.second.*member;
    return value ? percent_cell(*value, 1) : report::Cell("");
  });
}

Columns<NamedEfficiencies> efficiency_columns() {
  using E = MpiEfficiencies;
  Columns<NamedEfficiencies> columns;
  columns.text("scope", "", "the run, or a region in all processes", &NamedEfficiencies::first);
  columns.add(shown<&E::run>("", "time"), &NamedEfficiencies::second, &E::run);
  show_share<&E::parallel>(columns, "parallel_percent", "% parallel efficiency");
  show_share<&E::load_balance>(columns, "load_balance_percent", "% load balance");
  show_share<&E::communication>(columns, "communication_percent", "% communication efficiency");
  show_share<&E::serialisation>(columns, "serialisation_percent", "% serialisation efficiency");
  show_share<&E::transfer>(columns, "transfer_percent", "% transfer efficiency");
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
