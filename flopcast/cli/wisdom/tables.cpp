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
  columns.show<&WisdomEntry::cpu>("CPU");
  columns.text("holds_here", "holds here", "whether this machine uses the entry, and why not",
               [](const WisdomEntry& entry) { return entry.misfit.empty() ? "yes" : "no: " + entry.misfit; });
  columns.show<&WisdomEntry::file>();
  return columns;
}

Columns<WisdomEntry> finding_columns() {
  Columns<WisdomEntry> columns;
  columns.show<&WisdomEntry::id>();
  columns.show<&WisdomEntry::kind>();
  columns.show<&WisdomEntry::subject>();
  columns.show<&WisdomEntry::differs>();
  columns.show<&WisdomEntry::misfit>("why");
  columns.show<&WisdomEntry::remedy>("what to do");
  columns.show<&WisdomEntry::file>();
  return columns;
}

}  // namespace

report::Table finding_table(const std::vector<WisdomEntry>& entries) { return finding_columns().table(entries); }

report::Table wisdom_table(const std::vector<WisdomEntry>& entries) { return columns().table(entries); }

std::vector<TableColumns> wisdom_tables() { return {TableColumns{"wisdom", columns().headings()}.with(finding_columns().headings())}; }

}  // namespace flopcast::cli
