#pragma once

#include <string>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/result_files.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/tasks/modelling/modelling.hpp"

namespace flopcast::cli {

/// A stored model that the user names, and what is to happen with it.
struct ModelChoice {
  ModelNameRequest model;
  ModelListRequest list;
  machine::LibraryChoice libraries;
  ResultFiles files;
  bool yes = false;  ///< delete without asking
};

void show_build(const ModelBuild& build, const CommonOptions& common);
void show_plan(const ModelPlan& plan, const CommonOptions& common);

void list_models(const ModelChoice& choice, const CommonOptions& common);
void show_model(const ModelChoice& choice, const CommonOptions& common);
void export_model(const ModelChoice& choice, const CommonOptions& common);
/// Asks for the name once more, unless `choice.yes`.
void delete_model(const ModelChoice& choice, const CommonOptions& common);

}  // namespace flopcast::cli
