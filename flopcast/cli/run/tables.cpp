#include "flopcast/cli/run/tables.hpp"

#include "flopcast/cli/shared/columns.hpp"

namespace flopcast::cli {

report::Table outcome_table(const RunOutcome& outcome) {
  report::Table table;
  table.columns = columns<"run">({"routine", "queries", "what happened", "LAPACK"});
  for (const RunOutcome::Routine& routine : outcome.routines) {
    table.rows.push_back({routine.flags.empty() ? routine.routine : routine.routine + ":" + routine.flags,
                          report::whole(static_cast<long long>(routine.queries)), routine.what_happened, routine.lapack});
  }
  return table;
}

}  // namespace flopcast::cli
