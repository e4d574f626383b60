#include "flopcast/cli/run/tables.hpp"

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"

namespace flopcast::cli {
namespace {

using Routine = program::RoutineUse;

Columns<Routine> columns() {
  Columns<Routine> columns;
  columns.text("routine", "routine", "routine that asked for a block size, with its flags",
               [](const Routine& routine) { return program::routine_label(routine.routine, routine.flags); });
  columns.show<&Routine::queries>();
  columns.show<&Routine::what_happened>("what happened");
  columns.show<&Routine::lapack>("LAPACK");
  return columns;
}

}  // namespace

report::Table outcome_table(const RunOutcome& outcome) { return columns().table(outcome.routines); }

std::vector<TableColumns> run_tables() { return {{"run", columns().headings()}}; }

}  // namespace flopcast::cli
