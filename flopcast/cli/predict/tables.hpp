#pragma once

#include <string>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/tasks/programs/predict.hpp"

/// Tables of `flopcast predict`.
namespace flopcast::cli {

/// Returns one row per prediction.
report::Table summary_table(const Predictions& predictions);

/// Returns two tables, by kernel and by call. The prediction must have its calls.
std::string explanation(const Prediction& prediction, const CommonOptions& common);

}  // namespace flopcast::cli
