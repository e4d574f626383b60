#include "flopcast/cli/wisdom/tables.hpp"

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"

namespace flopcast::cli {
namespace {

Columns<WisdomEntry> columns() {
  Columns<WisdomEntry> columns;
  columns.show<&WisdomEntry::id>();
  columns.show<&WisdomEntry::kind>();
  columns.show<&WisdomEntry::subject>();
  columns.show<&WisdomEntry::place>();
  columns.text("holds_here", "holds here", "whether this machine uses the entry, and why not",
               [](const WisdomEntry& entry) { return entry.misfit.empty() ? "yes" : "no: " + entry.misfit; });
  columns.show<&WisdomEntry::file>();
  return columns;
}

}  // namespace

report::Table wisdom_table(const std::vector<WisdomEntry>& entries) { return columns().table(entries); }

std::vector<TableColumns> wisdom_tables() { return {{"wisdom", columns().headings()}}; }

}  // namespace flopcast::cli
