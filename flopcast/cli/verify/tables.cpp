#include "flopcast/cli/verify/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

Columns<VerifiedLibrary> library_columns() {
  using Row = VerifiedLibrary;
  Columns<Row> columns;
  columns.show<&Row::blas>("", "BLAS");
  columns.show<&Row::kernels>();
  columns.show<&Row::lapack>("", "LAPACK");
  columns.show<&Row::threads>();
  columns.show<&Row::calls>();
  columns.add(numbers(shown<&Row::findings>("wrong")), [](const Row& row) { return row.findings.size(); });
  columns.add(shown<&Row::largest_share>("", "largest error"),
              [](const Row& row) { return report::Cell(row.largest_share, format_percent(row.largest_share)); });
  columns.show<&Row::seconds>("", "time");
  columns.show<&Row::file>();
  return columns;
}

std::string name_of(const VerifiedLibrary& library) {
  return fmt::format("{}{} with {}", library.blas, library.kernels.empty() ? "" : " (kernels " + library.kernels + ")",
                     counted(library.threads, "thread"));
}

}  // namespace

report::Table verified_table(const Verification& verification) {
  std::string footnote = "largest error: error of a right call as a share of its bound\n";
  if (!verification.not_compared.empty()) {
    footnote += fmt::format("not compared, only executed: {}\n", fmt::join(verification.not_compared, ", "));
  }
  return library_columns().table(verification.libraries, footnote);
}

std::string verification_text(const Verification& verification) {
  std::string text;
  for (const VerifiedLibrary& library : verification.libraries) {
    for (const WrongCall& wrong : library.findings) {
      text += fmt::format("\n{}, LAPACK {}{}:\n  {}\n  {}", name_of(library), library.lapack, wrong.recorded ? ", recorded" : "",
                          wrong.call, wrong.fault);
      text += wrong.bound > 0 ? fmt::format(": error {:.2g}, bound {:.2g}\n", wrong.error, wrong.bound) : "\n";
    }
  }
  for (const std::string& remark : verification.remarks) {
    text += "\n" + remark + "\n";
  }
  return text;
}

std::vector<TableColumns> verify_tables() { return {{"verify", library_columns().headings()}}; }

}  // namespace flopcast::cli
