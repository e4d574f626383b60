#pragma once

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"

namespace flopcast::cli {

/// Show results as a table with notes, or as a document.
void show_list(const AlgorithmList& list, const CommonOptions& common);
void show_result(const ContractionResult& result, const CommonOptions& common);
void show_layouts(const LayoutsResult& result, const LayoutsRequest& request, const CommonOptions& common);
TableColumns layout_tables();
/// Returns a star, or nothing, for people; yes or no in CSV.
inline report::Cell star_cell(bool holds) { return report::valued(holds ? "*" : "", holds ? "yes" : "no"); }
/// Shows all rows if `all`, or if algorithms were executed; otherwise at most 12.
void show_ranking(const AlgorithmRanking& ranking, bool all, const CommonOptions& common);

}  // namespace flopcast::cli
