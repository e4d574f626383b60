#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/cli/profile/tables.hpp"
#include "flopcast/tasks/programs/what_if.hpp"

namespace flopcast::cli {

/// The answer's calls faster (positive) or slower than recorded, recorded / predicted - 1; nothing for a dry run, which has no times.
std::optional<double> gain(const Answer& answer, const ProgramView& view);

/// One row per question.
report::Table answer_table(const std::vector<Answer>& answers, const ProgramView& view);
/// The block sizes that were chosen, one row per question and shape.
report::Table block_table(const std::vector<Answer>& answers, const ProgramView& view);
/// Columns for the shapes' table.
std::vector<ShapeForecast> shape_forecasts(const std::vector<Answer>& answers);
nlohmann::json to_json(const Answer& answer, const ProgramView& view);

}  // namespace flopcast::cli
