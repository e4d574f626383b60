#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"

/// Tables and texts of `rank`, some of which `tune` shares.
namespace flopcast::cli {

/// Returns whether a decision of the place was validated.
bool has_validations(const PlaceRanking& place);

/// Returns the measured run of a forecast, or nullptr without one.
const tuning::Measured* find_measured(const tuning::Decision& decision, const tuning::Forecast& forecast);

/// Returns whether drivers of a job were ranked.
bool is_of_drivers(const Ranking& ranking);

/// Columns that several tables have.
report::Column blas_column();
report::Column size_column();
report::Column nb_column();
report::Column predicted_rate_column();
/// Returns the block size; "-" for none.
report::Cell nb_cell(const algorithm::BlockParameters& blocks);
/// Returns the column of one of several sizes in CSV; the routine's argument gives the name.
report::Column size_part_column();
/// Sizes of a routine's problem.
struct RoutineSizes {
  std::string routine;
  std::vector<std::int64_t> sizes;
};
/// Returns a table for CSV with a column for each size in place of that of size_column(), unless all problems are square. `problems` are
/// those of the rows.
report::Table with_size_columns(report::Table table, const std::vector<RoutineSizes>& problems);
/// Returns all columns of the tables of validations and of the choice among all places.
std::vector<report::Column> validation_columns();
std::vector<report::Column> joint_columns();
/// Returns a row per problem: the fastest of all places, its gain over the first place's default, ties, regret, and times that were measured.
report::Table joint_table(const Ranking& ranking);

/// Returns a row per variant, problem and place.
report::Table ranking_table(const Ranking& ranking);
/// Returns the ranking of one problem in a place, with a heading.
std::string problem_text(const Ranking& ranking, std::size_t place, std::size_t problem, const CommonOptions& common);
std::string validation_text(const Ranking& ranking, std::size_t place, const CommonOptions& common);
std::string ranking_text(const Ranking& ranking, const CommonOptions& common);
/// Returns a line about the validation in a place; empty if there was none.
std::string validation_summary(const PlaceRanking& place);

}  // namespace flopcast::cli
