#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/report/figure.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"

/// Tables, texts and the figure of `rank`, and what `tune` shares with it.
namespace flopcast::cli {

/// Returns the orders that --n gives, which `what` needs unless `sizes` has some. Throws usage_error if n is given twice or nothing is given;
/// `example` is an option to add.
std::vector<std::int64_t> orders(const std::string& n, const std::map<std::string, std::vector<std::int64_t>>& sizes, std::int64_t max,
                                 const std::string& what, const std::string& example);
/// Returns the names of a list separated by commas; none for an empty text.
std::vector<std::string> list_of(const std::string& text);
/// Returns the places that --blas and --threads list.
std::vector<machine::LibraryChoice> listed_places(const std::string& blas, const std::string& threads, const machine::LibraryChoice& common,
                                                  const RunContext& context);

/// Returns a variant's name in tables, or the name of the library whose own routine it is.
std::string variant_text(const std::string& variant, const PlaceRanking& place);
/// Returns "blis x 2".
std::string place_name(const PlaceRanking& place);

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

/// Returns performance over n, one curve per variant; measured times are points (paper 000, Fig. 11).
report::Figure ranking_figure(const Ranking& ranking);

}  // namespace flopcast::cli
