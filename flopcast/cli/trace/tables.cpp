#include "flopcast/cli/trace/tables.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

/// Returns a share in percent; 0 if the whole is 0.
report::Cell share(double part, double whole) {
  const double percent = whole > 0 ? 100 * part / whole : 0;
  return {percent, fmt::format("{:.1f}", percent)};
}

void add_row(report::Table& table, const TraceSummary::Kernel& sum, const TraceSummary::Kernel& all) {
  std::vector<report::Cell> row = {
      sum.kernel, report::whole(sum.calls), {sum.flops, fmt::format("{:.4g}", sum.flops)}, share(sum.flops, all.flops)};
  if (all.seconds) {
    const Seconds seconds = sum.seconds.value_or(0);
    const double rate = seconds > 0 ? sum.flops / seconds : 0;
    row.emplace_back(seconds, format_seconds(seconds));
    row.push_back(share(seconds, *all.seconds));
    row.emplace_back(rate, format_flop_rate(rate));
  }
  table.rows.push_back(std::move(row));
}

}  // namespace

report::Table summary_table(const TraceSummary& summary) {
  report::Table table;
  table.columns = columns<"trace">({"kernel", "calls", "flops", "flops %"});
  if (summary.all.seconds) {
    add_columns<"trace">(table.columns, {"seconds", "time %", "flops_per_second"});
  }
  for (const TraceSummary::Kernel& kernel : summary.kernels) {
    add_row(table, kernel, summary.all);
  }
  add_row(table, summary.all, summary.all);
  return table;
}

}  // namespace flopcast::cli
