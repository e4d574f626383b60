#pragma once

#include <string>
#include <vector>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/core/kernel_model.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/tasks/modelling/model_check.hpp"
#include "flopcast/tasks/modelling/modelling.hpp"

namespace flopcast::cli {

/// One row per piece of a model: its box, points, monomials and errors.
report::Table pieces_table(const model::Model& model);
/// One row per model.
report::Table models_table(const ModelList& list);

/// One row per checked kernel: its points, runs within intervals, errors and verdict.
report::Table check_table(const ModelCheck& check);
std::vector<report::Column> check_columns();
/// Lines about the whole check: runs within intervals, what was replaced, what there was no time for.
std::vector<std::string> remarks(const ModelCheck& check);

/// One line without its end about a model that was built, or would be.
std::string to_text(const ModelBuild& build);
std::string to_text(const ModelPlan& plan);

/// Name, domain and cost of a model in two lines.
std::string description(const model::Model& model);

/// Adds `model check`.
void add_check(OptionSet& model, CommonOptions& common);

}  // namespace flopcast::cli
