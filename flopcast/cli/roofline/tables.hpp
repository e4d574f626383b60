#pragma once

#include <string>
#include <vector>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/roofline/roof.hpp"
#include "flopcast/tasks/roofline/roofline.hpp"

namespace flopcast::cli {

/// Returns a roofline as text: roofs, peaks, points and findings.
std::string roofline_text(const roofline::Roofline& roofline, const CommonOptions& common);

/// Returns every roof and point in one table, for --csv.
report::Table roofline_table(const roofline::Roofline& roofline);

/// Returns the steps of a plan.
report::Table plan_table(const RooflinePlan& plan);

// Tables of the measured roofs. A table without rows isn't shown.

/// Returns the numbers of threads that were measured.
std::vector<int> thread_counts(const roofline::Roofline& roofline);

/// Returns the name, version and threading of a library: variants of a library differ in their threading.
std::string library_text(const LibraryIdentity& library);

/// Returns a cell such as "12.3 %".
report::Cell percent(double share);

report::Column spread_column();
report::Column roof_rate_column();
/// Returns all columns of these tables.
std::vector<report::Column> measured_roof_columns();
report::Table compute_table(const roofline::Roofline& roofline);
report::Table bandwidth_table(const roofline::Roofline& roofline);
report::Table triad_table(const roofline::Roofline& roofline);
report::Table gemm_table(const roofline::Roofline& roofline);

/// Returns the shapes that tie with the best ones, since the answer of a race is a set. The best ones of a set are named, and how many more
/// there are.
std::string ties_text(const roofline::Roofline& roofline);

}  // namespace flopcast::cli
