#include "flopcast/cli/wisdom/tables.hpp"

namespace flopcast::cli {

report::Table wisdom_table(const std::vector<WisdomEntry>& entries) {
  using report::Align;
  report::Table table{{{"id", Align::left},
                       {"kind", Align::left},
                       {"subject", Align::left},
                       {"place", Align::left},
                       {"holds here", Align::left, "holds_here"},
                       {"file", Align::left}},
                      {}};
  for (const WisdomEntry& entry : entries) {
    table.rows.push_back(
        {entry.id, entry.kind, entry.subject, entry.place, entry.misfit.empty() ? "yes" : "no: " + entry.misfit, entry.file});
  }
  return table;
}

}  // namespace flopcast::cli
