#include "flopcast/cli/mpi/tables.hpp"

#include <string>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/protocol/mpi_profile_fields.hpp"

namespace flopcast::cli {
namespace {

Columns<MpiWaiting> wait_columns() {
  Columns<MpiWaiting> columns;
  columns.text("rank", "process", "process that waited", &MpiWaiting::rank);
  columns.text("awaited_rank", "for", "process that was late; several: not one alone, or not known",
               [](const MpiWaiting& wait) { return wait.awaited_rank ? std::to_string(*wait.awaited_rank) : std::string("several"); });
  columns.text("kind", "cause", "late sender, late receiver, or collective: a process came later to it",
               [](const MpiWaiting& wait) { return nlohmann::json(wait.kind).get<std::string>(); });
  columns.show<&MpiWaiting::seconds>("", "waited");
  columns.show<&MpiWaiting::count>("", "waits");
  columns.text("routine", "call", "MPI routine that waited", &MpiWaiting::routine);
  columns.text("region", "region", "open region of the program's own", &MpiWaiting::region);
  columns.text("site", "call site", "function, and file with a number for addr2line", &MpiWaiting::site);
  return columns;
}

}  // namespace

report::Table wait_table(const std::vector<MpiWaiting>& waits) { return wait_columns().table(waits); }

std::vector<report::Column> wait_table_columns() { return wait_columns().headings(); }

}  // namespace flopcast::cli
