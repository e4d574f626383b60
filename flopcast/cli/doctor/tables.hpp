#pragma once

#include <string>

#include "flopcast/report/table.hpp"
#include "flopcast/tasks/programs/advice.hpp"

namespace flopcast::cli {

/// Returns one row per finding.
report::Table finding_table(const ProgramDiagnosis& diagnosis);
/// Returns the answer in one sentence: what is to gain, and where the time is.
std::string answer(const ProgramDiagnosis& diagnosis);
/// Returns the findings one below the other, each with cause, evidence and remedy.
std::string finding_text(const ProgramDiagnosis& diagnosis);

}  // namespace flopcast::cli
