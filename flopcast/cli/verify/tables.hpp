#pragma once

#include <string>

#include "flopcast/report/table.hpp"
#include "flopcast/tasks/programs/advice.hpp"

namespace flopcast::cli {

/// Returns a row for each library with its kernels and threads.
report::Table verified_table(const Verification& verification);
/// Returns the wrong calls and remarks as text.
std::string verification_text(const Verification& verification);

}  // namespace flopcast::cli
