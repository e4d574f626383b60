#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/cli/profile/tables.hpp"
#include "flopcast/report/page.hpp"
#include "flopcast/tasks/programs/what_if.hpp"

namespace flopcast::cli {

/// All that is shown of a recorded program.
struct ProgramReport {
  ProgramView view;
  interpose::RecordedPlace place;
  std::vector<Answer> answers;
  std::vector<std::string> warnings;  ///< what is wrong with the recording
  std::size_t top = 20;               ///< shapes shown
};

/// One line: calls, threads, time.
std::string overview(const ProgramView& view);

/// The document "flopcast-program-profile-1", with every shape.
nlohmann::json program_document(const ProgramReport& report);

/// The page: pictures and tables.
report::Page program_page(const ProgramReport& report, const interpose::ProgramTraceFile& file);

}  // namespace flopcast::cli
