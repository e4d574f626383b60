#include "flopcast/cli/model/actions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "flopcast/cli/model/tables.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/model/model_json.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/modelling/model_list.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::cli {
namespace {

/// Models are read also where nothing can be written.
Workbench workbench(const ModelChoice& choice, const CommonOptions& common) {
  return Workbench(choice.libraries, keeping_if_possible(run_context(common), "nothing can be kept"));
}

/// Returns "basis adapted, degree 2, error bound 0.05".
std::string text_of(const model::BuildOptions& options) {
  std::vector<std::string> parts;
  const nlohmann::json members = model::options_json(options);
  for (const auto& [name, value] : members.items()) {
    std::string words = name;
    std::replace(words.begin(), words.end(), '_', ' ');
    parts.push_back(fmt::format("{} {}", words, value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Returns true if the user types the model's name once more.
bool confirmed(const std::string& full_name) {
  if (::isatty(STDIN_FILENO) == 0) {
    throw usage_error("deleting model {} needs --yes where there is no terminal to ask on", full_name);
  }
  fmt::print(stderr, "To delete this model, type its name ({}): ", full_name);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == full_name;
}

}  // namespace

void show_build(const ModelBuild& build, const CommonOptions& common) {
  common.json ? emit_document(build, common) : emit_wrapped(to_text(build) + '\n', common);
}

void show_plan(const ModelPlan& plan, const CommonOptions& common) {
  common.json ? emit_document(plan, common) : emit_wrapped(to_text(plan) + '\n', common);
}

void list_models(const ModelChoice& choice, const CommonOptions& common) {
  const ModelList list = flopcast::list_models(workbench(choice, common), choice.list.other_machines);
  if (list.hidden > 0) {
    note(fmt::format("not shown: {} of other libraries or machines. --other-machine shows all, --blas and --lapack choose libraries",
                     counted(list.hidden, "model")),
         common);
  }
  if (common.json) {
    emit_document(list, common);
  } else if (list.models.empty() && !common.csv) {
    note("no models; 'flopcast model build --help' shows how to make one", common);
  } else {
    emit(models_table(list), common);
  }
}

void show_model(const ModelChoice& choice, const CommonOptions& common) {
  const model::Model model = find_model(workbench(choice, common), choice.model.name, choice.model.other_machines);
  if (common.json) {
    emit(to_json(model) + '\n', common);
  } else {
    if (!common.csv) {
      note(fmt::format("{}\noptions: {}\n", description(model), text_of(model.options)), common);
    }
    emit(pieces_table(model), common);
  }
  if (choice.files.any()) {
    write_document_files(to_json(model), choice.files, common);
  }
}

void export_model(const ModelChoice& choice, const CommonOptions& common) {
  emit(to_json(find_model(workbench(choice, common), choice.model.name, choice.model.other_machines)) + '\n', common);
}

void delete_model(const ModelChoice& choice, const CommonOptions& common) {
  const Workbench bench(choice.libraries, run_context(common));
  const std::string full_name = model::name(find_model(bench, choice.model.name, true));
  if (choice.yes && full_name != choice.model.name) {
    throw usage_error("--yes needs the whole name of the model: {}", full_name);
  }
  if (!choice.yes && !confirmed(full_name)) {
    note("nothing was deleted", common);
    return;
  }
  flopcast::delete_model(bench, full_name);
  note(fmt::format("{} is deleted; its samples are kept", full_name), common);
}

}  // namespace flopcast::cli
