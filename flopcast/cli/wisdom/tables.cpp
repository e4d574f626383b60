#include "flopcast/cli/wisdom/tables.hpp"

#include "flopcast/cli/shared/columns.hpp"

namespace flopcast::cli {

report::Table wisdom_table(const std::vector<WisdomEntry>& entries) {
  report::Table table{columns<"wisdom">({"id", "kind", "subject", "place", "holds_here", "file"}), {}};
  for (const WisdomEntry& entry : entries) {
    table.rows.push_back(
        {entry.id, entry.kind, entry.subject, entry.place, entry.misfit.empty() ? "yes" : "no: " + entry.misfit, entry.file});
  }
  return table;
}

}  // namespace flopcast::cli
