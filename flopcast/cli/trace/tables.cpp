#include "flopcast/cli/trace/tables.hpp"

#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"

namespace flopcast::cli {
namespace {

using Kernel = TraceSummary::Kernel;

/// Returns a share in percent; 0 if the whole is 0.
double percent_of(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

Columns<Kernel> columns(const Kernel& all) {
  Columns<Kernel> columns;
  columns.show<&Kernel::kernel>();
  columns.show<&Kernel::calls>();
  columns.show<&Kernel::flops>();
  columns.number("percent_of_flops", "flops %", "%", "their part of all flops",
                 [&all](const Kernel& kernel) { return percent_of(kernel.flops, all.flops); });
  if (all.seconds) {
    const auto seconds_of = [](const Kernel& kernel) { return kernel.seconds.value_or(0); };
    columns.add(shown<&Kernel::seconds>(), seconds_of);
    columns.number("percent_of_time", "time %", "%", "their part of the recorded time", Best::small,
                   [&all, seconds_of](const Kernel& kernel) { return percent_of(seconds_of(kernel), *all.seconds); });
    columns.number("flops_per_second", "rate", "flop/s", "flops over time",
                   [seconds_of](const Kernel& kernel) { return seconds_of(kernel) > 0 ? kernel.flops / seconds_of(kernel) : 0; });
  }
  return columns;
}

}  // namespace

report::Table summary_table(const TraceSummary& summary) {
  const Columns<Kernel> all = columns(summary.all);
  report::Table table = all.table(summary.kernels);
  table.rows.push_back(all.cells(summary.all));
  return table;
}

std::vector<TableColumns> trace_tables() {
  Kernel all;
  all.seconds = 0;
  return {{"trace", columns(all).headings()}};
}

}  // namespace flopcast::cli
