#include "flopcast/cli/doctor/tables.hpp"

#include <fmt/format.h>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

Columns<Finding> finding_columns() {
  Columns<Finding> columns;
  columns.add(shown<&Finding::cause>(), [](const Finding& finding) { return to_string(finding.cause); });
  columns.show<&Finding::seconds>();
  columns.show_ends<&Finding::gain>("gain_seconds", "gain from", "gain to");
  columns.show<&Finding::what>();
  columns.show<&Finding::evidence>();
  columns.show<&Finding::remedy>();
  return columns;
}

std::string gain_text(const Finding& finding) {
  return finding.gain.low > 0 ? fmt::format("saves {} to {}", format_seconds(finding.gain.low), format_seconds(finding.gain.high))
                              : fmt::format("saves at most {}", format_seconds(finding.gain.high));
}

double percent_of(Seconds seconds, const ProgramDiagnosis& diagnosis) {
  return diagnosis.seconds > 0 ? 100 * seconds / diagnosis.seconds : 0;
}

}  // namespace

report::Table finding_table(const ProgramDiagnosis& diagnosis) { return finding_columns().table(diagnosis.findings); }

std::string answer(const ProgramDiagnosis& diagnosis) {
  const std::string where = fmt::format("The program took {}: {} ({:.0f} %) outside of BLAS and LAPACK", format_seconds(diagnosis.seconds),
                                        format_seconds(diagnosis.own_code_seconds), percent_of(diagnosis.own_code_seconds, diagnosis));
  if (diagnosis.findings.empty()) {
    return where + ", which nothing here can mend. There is nothing to gain.";
  }
  const Finding& first = diagnosis.findings.front();
  return fmt::format("{}. {}: {}; the first remedy {}.", where, counted(diagnosis.findings.size(), "finding"), first.what,
                     gain_text(first));
}

std::string finding_text(const ProgramDiagnosis& diagnosis) {
  std::string text = answer(diagnosis) + "\n";
  for (std::size_t i = 0; i < diagnosis.findings.size(); ++i) {
    const Finding& finding = diagnosis.findings[i];
    text += fmt::format("\n{}. {} ({}, {:.0f} % of the program)\n   {}\n   -> {}\n", i + 1, finding.what, gain_text(finding),
                        percent_of(finding.gain.high, diagnosis), finding.evidence, finding.remedy);
  }
  if (!diagnosis.own_code.empty()) {
    text += fmt::format("\nCPU time outside of BLAS and LAPACK ({}):\n", format_seconds(diagnosis.probed_seconds));
    for (const OwnCodePlace& place : diagnosis.own_code) {
      text += fmt::format("   {:.0f} % {}\n", 100 * place.seconds / diagnosis.probed_seconds, place.where);
    }
  }
  if (!diagnosis.examined.empty()) {
    text += "\nExamined, without a finding:\n";
    for (const std::string& line : diagnosis.examined) {
      text += "   " + line + "\n";
    }
  }
  return text;
}

std::vector<TableColumns> doctor_tables() { return {{"doctor", finding_columns().headings()}}; }

}  // namespace flopcast::cli
