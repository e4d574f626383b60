#include "flopcast/cli/mpi/tables.hpp"

#include <string>
#include <utility>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/protocol/mpi_profile_fields.hpp"

namespace flopcast::cli {
namespace {

Columns<MpiWaiting> wait_columns() {
  Columns<MpiWaiting> columns;
  columns.add(texts(shown<&MpiWaiting::rank>("", "process")), &MpiWaiting::rank);
  columns.add(texts(shown<&MpiWaiting::awaited_rank>("", "for")),
              [](const MpiWaiting& wait) { return wait.awaited_rank ? std::to_string(*wait.awaited_rank) : std::string("several"); });
  columns.add(shown<&MpiWaiting::kind>("", "cause"), [](const MpiWaiting& wait) { return nlohmann::json(wait.kind).get<std::string>(); });
  columns.show<&MpiWaiting::seconds>("", "waited");
  columns.show<&MpiWaiting::count>("", "waits");
  columns.show<&MpiWaiting::routine>("", "call");
  columns.show<&MpiWaiting::region>();
  columns.show<&MpiWaiting::site>("", "call site");
  return columns;
}

}  // namespace

report::Table wait_table(const std::vector<MpiWaiting>& waits, std::string legend) {
  return wait_columns().table(waits, std::move(legend));
}

std::vector<report::Column> wait_table_columns() { return wait_columns().headings(); }

}  // namespace flopcast::cli
