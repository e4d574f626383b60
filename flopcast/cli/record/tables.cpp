#include "flopcast/cli/record/tables.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "flopcast/cli/profile/tables.hpp"
#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

void add_row(report::Table& table, const Recording::Routine& routine, const Recording& recording) {
  const double percent = recording.seconds > 0 ? 100 * routine.seconds / recording.seconds : 0;
  const double rate = routine.flops && routine.seconds > 0 ? *routine.flops / routine.seconds : 0;
  std::vector<report::Cell> row = {routine.routine,
                                   report::whole(routine.calls),
                                   {routine.seconds, format_seconds(routine.seconds)},
                                   {percent, fmt::format("{:.1f}", percent)}};
  row.push_back(routine.flops ? report::Cell(*routine.flops, fmt::format("{:.4g}", *routine.flops)) : report::Cell("-"));
  row.push_back(routine.flops && routine.seconds > 0 ? report::Cell(rate, format_flop_rate(rate)) : report::Cell("-"));
  if (recording.dry_run) {
    row.push_back(report::whole(routine.skipped));
    row.push_back(report::whole(routine.blind));
  }
  table.rows.push_back(std::move(row));
}

}  // namespace

report::Table routine_table(const Recording& recording) {
  report::Table table;
  table.columns = columns<"record">({"routine", "calls", "seconds", "percent_of_run", "flops", "flops_per_second"});
  if (recording.dry_run) {
    add_columns<"record">(table.columns, {"skipped", "blind"});
  }
  for (const Recording::Routine& routine : recording.routines) {
    add_row(table, routine, recording);
  }
  if (recording.first_calls.calls > 0) {
    add_row(table, {first_calls_name, recording.first_calls.calls, recording.first_calls.seconds, 0, 0, {}}, recording);
  }
  add_row(table, {"all", recording.calls, recording.call_seconds, recording.skipped, recording.blind, {}}, recording);
  return table;
}

report::Table call_table(const Recording& recording) {
  report::Table table;
  table.columns = columns<"record">({"thread", "start_seconds", "seconds", "call"});
  if (recording.dry_run) {
    table.columns.push_back(column<"record">("what happened"));
  }
  for (const Recording::Event& event : recording.events.value()) {
    std::vector<report::Cell> row = {report::whole(static_cast<long long>(event.thread)),
                                     {event.start, format_seconds(event.start)},
                                     {event.seconds, format_seconds(event.seconds)},
                                     event.call};
    if (recording.dry_run) {
      row.emplace_back(event.what_happened);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string overview(const Recording& recording) {
  const double share = recording.seconds > 0 ? 100 * recording.call_seconds / recording.seconds : 0;
  const std::string skipped = recording.dry_run ? fmt::format(" ({} skipped)", recording.skipped) : "";
  const double own = recording.seconds > 0 ? recording.own_code_seconds / recording.seconds : 0;
  const std::string cores = recording.cores_got > 0 ? fmt::format(" on {:.1f} cores", recording.cores_got) : "";
  return fmt::format("{}{} of {} in {} of {}; {} in BLAS and LAPACK, {:.1f} % of {}{}; own code {:.1f} %; {}: {:.1f} MB",
                     counted(recording.calls, "call"), skipped, counted(recording.routine_names, "routine"),
                     counted(recording.threads.size(), "thread"), counted(recording.processes.size(), "process"),
                     format_seconds(recording.call_seconds), share, format_seconds(recording.seconds), cores, 100 * own, recording.file,
                     static_cast<double>(recording.bytes) / 1e6);
}

}  // namespace flopcast::cli
