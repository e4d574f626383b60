#include "flopcast/cli/run/tables.hpp"

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"

namespace flopcast::cli {
namespace {

using Routine = program::RoutineUse;

report::Column asking_routine_column() { return text_column("routine", "routine", "routine that asked for a block size, with its flags"); }

Columns<Routine> columns() {
  Columns<Routine> columns;
  columns.add(asking_routine_column(), [](const Routine& routine) { return program::routine_label(routine.routine, routine.flags); });
  columns.show<&Routine::queries>();
  columns.show<&Routine::what_happened>("what happened");
  columns.show<&Routine::lapack>("LAPACK");
  return columns;
}

Columns<program::SizeUse> size_columns() {
  using Size = program::SizeUse;
  Columns<Size> columns;
  columns.add(asking_routine_column(), [](const Size& size) { return program::routine_label(size.routine, size.options); });
  columns.show<&Size::m>();
  columns.show<&Size::n>();
  columns.show<&Size::queries>();
  columns.show<&Size::answered>();
  columns.show<&Size::reason>();
  columns.show<&Size::short_workspaces>("short workspaces");
  return columns;
}

Columns<program::ThreadUse> thread_columns() {
  using Use = program::ThreadUse;
  Columns<Use> columns;
  columns.show<&Use::routine>();
  columns.add(texts(shown<&Use::threads>()),
              [](const Use& use) { return use.threads == 0 ? std::string("own") : std::to_string(use.threads); });
  columns.show<&Use::calls>();
  columns.add(shown<&Use::library>(), [](const Use& use) { return use.library.empty() ? std::string("own") : use.library; });
  return columns;
}

}  // namespace

report::Table thread_table(const RunOutcome& outcome) { return thread_columns().table(outcome.threads); }

report::Table size_table(const RunOutcome& outcome) { return size_columns().table(outcome.sizes); }

report::Table outcome_table(const RunOutcome& outcome) { return columns().table(outcome.routines); }

std::vector<TableColumns> run_tables() {
  return {TableColumns{"run", columns().headings()}.with(size_columns().headings()).with(thread_columns().headings())};
}

}  // namespace flopcast::cli
