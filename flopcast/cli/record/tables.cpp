#include "flopcast/cli/record/tables.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "flopcast/cli/profile/tables.hpp"
#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

using Routine = Recording::Routine;
using Event = Recording::Event;

double rate_of(const Routine& routine) { return routine.flops && routine.seconds > 0 ? *routine.flops / routine.seconds : 0; }

Columns<Routine> routine_columns(const Recording& recording) {
  Columns<Routine> columns;
  columns.show<&Routine::routine>();
  columns.show<&Routine::calls>();
  columns.show<&Routine::seconds>();
  columns.number("percent_of_run", "% of run", "%", "their part of the program's whole run", Best::small,
                 [whole = recording.seconds](const Routine& routine) { return whole > 0 ? 100 * routine.seconds / whole : 0; });
  columns.add(shown<&Routine::flops>(),
              [](const Routine& routine) { return routine.flops ? number_cell(*routine.flops, "flop") : report::Cell("-"); });
  columns.number("flops_per_second", "rate", "flop/s", "flops over time", [](const Routine& routine) {
    const double rate = rate_of(routine);
    return routine.flops && routine.seconds > 0 ? report::Cell(rate, format_flop_rate(rate)) : report::Cell("-");
  });
  if (recording.dry_run) {
    columns.show<&Routine::skipped>();
    columns.show<&Routine::blind>();
  }
  return columns;
}

Columns<Event> event_columns(const Recording& recording) {
  Columns<Event> columns;
  columns.show<&Event::thread>();
  columns.show<&Event::start>("start_seconds");
  columns.show<&Event::seconds>();
  columns.show<&Event::call>();
  if (recording.dry_run) {
    columns.show<&Event::what_happened>("what happened");
  }
  return columns;
}

}  // namespace

report::Table routine_table(const Recording& recording) {
  const Columns<Routine> columns = routine_columns(recording);
  report::Table table = columns.table(recording.routines);
  if (recording.first_calls.calls > 0) {
    table.rows.push_back(columns.cells({first_calls_name, recording.first_calls.calls, recording.first_calls.seconds, 0, 0, {}}));
  }
  table.rows.push_back(columns.cells({"all", recording.calls, recording.call_seconds, recording.skipped, recording.blind, {}}));
  return table;
}

report::Table call_table(const Recording& recording) { return event_columns(recording).table(recording.events.value()); }

std::vector<TableColumns> record_tables() {
  Recording dry_run;
  dry_run.dry_run = true;
  return {TableColumns{"record", routine_columns(dry_run).headings()}.with(event_columns(dry_run).headings())};
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
