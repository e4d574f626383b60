
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/cli/command.hpp"
#include "flopcast/cli/library_options.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/modelling/model_build.hpp"
#include "flopcast/tasks/modelling/model_figure.hpp"

namespace flopcast::cli {
namespace {

double worst_error(const model::Model& model) {
  double worst = 0;
  for (const model::Piece& piece : model.pieces) {
    worst = std::max(worst, piece.error.maximum);
  }
  return worst;
}

void show(const ModelBuild& build, const CommonOptions& common) {
  if (common.json) {
    emit(nlohmann::json(build.model), common);
    return;
  }
  emit(fmt::format("{} {}: {} pieces from {} points, largest error at a sample {:.1f} %\n", name(build.model),
                   build.replaced ? "replaced" : "stored", build.model.pieces.size(), build.model.cost.samples,
                   100 * worst_error(build.model)),
       common);
}

constexpr const char* footer = R"(Examples:
  flopcast model build dtrsm side=L uplo=L transa=N m=8:128 n=8:128 --error 10%
  flopcast model list
  flopcast model show dtrsm)";

constexpr const char* build_footer = R"(Samples are stored as they come: after Ctrl-C the same command goes on where it stopped.
A size can be one value (n=64), a range (m=8:1024) or several ranges (k=8:64,256:512).

Examples:
  flopcast model build dtrsm side=L uplo=L transa=N m=8:512 n=8:512 --cache warm --error 5% --time-budget 1min
  flopcast model build dger m=8:1000 n=8:1000 --method levels)";

struct ModelChoice {
  std::string name;
  bool foreign = false;
  machine::LibraryChoice libraries;
  std::string figure;
  bool yes = false;
};

/// The model of `candidates` with that name, or the only one whose name begins so.
model::Model find_model(const std::vector<model::Model>& candidates, const std::string& text) {
  std::vector<const model::Model*> found;
  std::vector<std::string> names;
  for (const model::Model& candidate : candidates) {
    const std::string full_name = name(candidate);
    names.push_back(full_name);
    if (full_name == text) {
      return candidate;
    }
    if (full_name.rfind(text, 0) == 0) {
      found.push_back(&candidate);
    }
  }
  if (found.size() == 1) {
    return *found.front();
  }
  if (found.empty()) {
    const std::vector<std::string> nearest = nearest_names(text, names);
    throw bad_input(
        "there is no model '{}'; {}", text,
        nearest.empty() ? "'flopcast model list --foreign' lists all" : fmt::format("did you mean {}?", fmt::join(nearest, ", ")));
  }
  std::vector<std::string> meant;
  std::transform(found.begin(), found.end(), std::back_inserter(meant), [](const model::Model* model) { return name(*model); });
  throw bad_input("'{}' is the beginning of {} models' names: {}", text, meant.size(), fmt::join(meant, ", "));
}

/// Refuses a model that is called by its whole name though it is of another machine or library.
void refuse_foreign(const std::string& text, const model::Store& store) {
  const std::optional<model::Model> model = store.find_model(text);
  if (model) {
    const std::optional<Environment> origin = store.find_environment(model->key.library);
    throw bad_input("model {} is of another machine or library{}; --foreign takes it nevertheless", text,
                    origin ? fmt::format(" ({}, {} {})", origin->cpu, origin->blas.name, origin->blas.version) : "");
  }
}

/// The model that was asked for, of this machine and library unless others were asked for.
model::Model chosen_model(const ModelChoice& choice, const model::Store& store, const CommonOptions& common) {
  std::vector<model::Model> candidates = store.models();
  if (!choice.foreign && !candidates.empty()) {
    const std::string here = Workbench(choice.libraries, run_context(common)).environment().fingerprint;
    candidates.erase(
        std::remove_if(candidates.begin(), candidates.end(), [&](const model::Model& model) { return model.key.library != here; }),
        candidates.end());
    if (std::none_of(candidates.begin(), candidates.end(), [&](const model::Model& model) { return name(model) == choice.name; })) {
      refuse_foreign(choice.name, store);
    }
  }
  return find_model(candidates, choice.name);
}

std::string describe(const std::vector<std::string>& names, const model::Box& box) {
  std::vector<std::string> parts;
  for (std::size_t d = 0; d < names.size(); ++d) {
    parts.push_back(box.low[d] == box.high[d] ? fmt::format("{}={}", names[d], box.low[d])
                                              : fmt::format("{}={}:{}", names[d], box.low[d], box.high[d]));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string describe_domain(const model::Model& model) {
  std::string text;
  for (const model::Box& box : model.domain) {
    text += (text.empty() ? "" : ", ") + describe(model.sizes, box);
  }
  return text;
}

report::Cell percent(double share) { return {share, fmt::format("{:.2f} %", 100 * share)}; }

nlohmann::json summary_json(const model::Model& model, bool foreign) {
  return {{"name", name(model)},
          {"key", model.key},
          {"generator", model.generator},
          {"sizes", model.sizes},
          {"domain", model.domain},
          {"pieces", model.pieces.size()},
          {"samples", model.cost.samples},
          {"seconds", model.cost.seconds},
          {"largest_error", worst_error(model)},
          {"foreign", foreign}};
}

void list_models(const ModelChoice& choice, const CommonOptions& common) {
  const model::Store store = open_store(run_context(common));
  const std::vector<model::Model> all = store.models();
  const std::string here = all.empty() ? "" : Workbench(choice.libraries, run_context(common)).environment().fingerprint;
  report::Table table{{{"model", report::Align::left},
                       {"domain", report::Align::left},
                       {"pieces"},
                       {"points"},
                       {"largest error", report::Align::right, "largest_error"}},
                      {}};
  nlohmann::json models = nlohmann::json::array();
  std::size_t hidden = 0;
  for (const model::Model& model : all) {
    const bool foreign = model.key.library != here;
    if (foreign && !choice.foreign) {
      ++hidden;
      continue;
    }
    table.rows.push_back({name(model), describe_domain(model), report::whole(static_cast<long long>(model.pieces.size())),
                          report::whole(model.cost.samples), percent(worst_error(model))});
    models.push_back(summary_json(model, foreign));
  }
  if (hidden > 0) {
    note(fmt::format("{} models of other libraries or machines are not shown; --foreign shows them, --blas and --lapack choose libraries",
                     hidden),
         common);
  }
  if (common.json) {
    emit(nlohmann::json{{"schema", "flopcast-models-1"}, {"models", models}}, common);
  } else if (table.rows.empty() && !common.csv) {
    note("no models; 'flopcast model build --help' shows how to make one", common);
  } else {
    emit(table, common);
  }
}

report::Table pieces_table(const model::Model& model) {
  const bool levels = !model.footprint.monomials.empty();
  const bool thresholds = model.options.contains("thresholds");
  report::Table table{{{"piece", report::Align::left}, {"points"}, {"monomials"}, {"largest error"}, {"mean error"}, {"deviation"}}, {}};
  if (levels) {
    table.columns.insert(table.columns.begin() + 1, {thresholds ? "product of sizes" : "footprint", report::Align::left});
  }
  for (const model::Piece& piece : model.pieces) {
    std::vector<report::Cell> row = {describe(model.sizes, piece.box),
                                     report::whole(piece.samples),
                                     report::whole(static_cast<long long>(piece.polynomial.monomials.size())),
                                     percent(piece.error.maximum),
                                     percent(piece.error.mean),
                                     percent(piece.error.deviation)};
    if (levels) {
      const auto text = [&](double value) { return thresholds ? fmt::format("{:.3g}", value) : format_bytes(value); };
      const std::string end = std::isfinite(piece.bytes_high) ? " to " + text(piece.bytes_high) : " or more";
      row.insert(row.begin() + 1, text(piece.bytes_low) + end);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

void show_model(const ModelChoice& choice, const CommonOptions& common) {
  const model::Store store = open_store(run_context(common));
  const model::Model model = chosen_model(choice, store, common);
  if (!choice.figure.empty()) {
    report::draw(model_figure(model), choice.figure);
  }
  if (common.json) {
    emit(nlohmann::json(model), common);
    return;
  }
  if (!common.csv) {
    note(fmt::format("{}\n{}, {} pieces from {} points in {}\noptions {}\n", name(model), describe_domain(model), model.pieces.size(),
                     model.cost.samples, format_seconds(model.cost.seconds), model.options.dump()),
         common);
  }
  emit(pieces_table(model), common);
}

void export_model(const ModelChoice& choice, const CommonOptions& common) {
  const model::Store store = open_store(run_context(common));
  emit(nlohmann::json(chosen_model(choice, store, common)), common);
}

/// Whether the user types the model's name once more.
bool confirmed(const std::string& full_name) {
  if (::isatty(STDIN_FILENO) == 0) {
    throw usage_error("deleting model {} needs --yes where there is no terminal to ask on", full_name);
  }
  fmt::print(stderr, "To delete this model, type its name ({}): ", full_name);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == full_name;
}

void delete_model(const ModelChoice& choice, const CommonOptions& common) {
  model::Store store = open_store(run_context(common));
  const std::string full_name = name(find_model(store.models(), choice.name));
  if (choice.yes && full_name != choice.name) {
    throw usage_error("--yes needs the whole name of the model: {}", full_name);
  }
  if (!choice.yes && !confirmed(full_name)) {
    note("nothing was deleted", common);
    return;
  }
  store.delete_model(full_name);
  note(fmt::format("{} is deleted; its samples are kept", full_name), common);
}

void add_refinement_options(OptionSet& command, ModelBuildOptions& options) {
  static constexpr const char* group = "Refinement (defaults: paper 000, section 2.2)";
  model::RefinementOptions& refinement = options.refinement;
  command
      .parsed(
          "--error", [&refinement](const std::string& text) { refinement.error_bound = parse_fraction(text, "--error", 0, 1); },
          "Subdivide where the error is above it (default 5%)")
      .group(group)
      .placeholder("SHARE");
  command
      .parsed(
          "--error-type", [&refinement](const std::string& text) { refinement.error_type = model::parse_error_type(text); },
          "Which error over a piece's points: maximum, mean or median (default maximum)")
      .group(group)
      .placeholder("TYPE");
  command.option("--min-size", refinement.min_size, "No piece is narrower").group(group).show_default();
  command.option("--min-width", refinement.min_width, "Sizes sampled are multiples of it").group(group).show_default();
  command
      .parsed(
          "--grid", [&refinement](const std::string& text) { refinement.grid = model::parse_grid(text); },
          "Points of a piece: gaussian, chebyshev or regular (default gaussian)")
      .group(group)
      .placeholder("GRID");
  command.option("--degree", refinement.degree, "Of the polynomials").group(group).show_default();
  command.option("--oversampling", refinement.oversampling, "Points per size beyond the degree + 1").group(group).show_default();
  command
      .parsed(
          "--basis", [&refinement](const std::string& text) { refinement.basis = model::parse_basis_kind(text); },
          "Monomials: total or tensor degree, or adapted to the kernel's flops (default total)")
      .group(group)
      .placeholder("BASIS");
  command.option("--max-depth", refinement.max_depth, "Subdivisions at most").group(group).show_default();
  command
      .flag(
          "--no-reuse", [&refinement] { refinement.reuse = false; }, "Fit each piece to its own grid only")
      .group(group);
}

void add_threshold_option(OptionSet& command, ModelBuildOptions& options) {
  command.flag(
      "--no-thresholds", [&options] { options.thresholds = false; },
      "With several threads, don't look first for the work from which on the library uses them");
}

void add_build(OptionSet& parent, CommonOptions& common) {
  auto options = std::make_shared<ModelBuildOptions>();
  auto dry_run = std::make_shared<bool>(false);
  OptionSet command = parent.add_command("build", "Sample a routine over ranges of its sizes and store the model");
  command.option("routine", options->routine, "Routine of the catalogue, e.g. dtrsm").required();
  command.option("arguments", options->arguments, "Flags, scalars and sizes such as side=L m=8:1024")
      .required()
      .placeholder("NAME=VALUE ...");
  command.option("--cache", options->cache, "State of the caches: warm, cold, cold:sweep, cold:fresh, or a cache such as L2")
      .show_default();
  command.option("--method", options->method, "refine: adaptive refinement (paper 000); levels: a polynomial per memory level (paper 001)")
      .choices({"refine", "levels"})
      .show_default();
  command.option("--measurements", options->levels.measurements, "Points per memory level, with --method levels").show_default();
  command.option("--repetitions", options->session.stop.max_repetitions, "Of each point, at most").range(1, 10000).show_default();
  command
      .parsed(
          "--time-budget", [options](const std::string& text) { options->time_budget = parse_duration(text, "--time-budget"); },
          "Stop refining after so long, e.g. 60s")
      .placeholder("DURATION");
  add_seed_option(command, options->session.seed, "Of the order of repetitions");
  command.flag("--fresh", options->fresh, "Sample anew what the store already has");
  command.flag("--dry-run", *dry_run, "Only say what would be measured");
  add_threshold_option(command, *options);
  add_refinement_options(command, *options);
  add_library_options(command, options->libraries);
  command.footer(build_footer);
  command.action([options, dry_run, &common] {
    options->session.stop.min_repetitions = std::min(options->session.stop.min_repetitions, options->session.stop.max_repetitions);
    if (*dry_run) {
      emit(plan_model(*options, run_context(common)) + '\n', common);
    } else {
      show(build_model(*options, run_context(common)), common);
    }
  });
}

OptionSet add_action(OptionSet& parent, const char* action, const char* description, const char* example,
                     const std::shared_ptr<ModelChoice>& choice, CommonOptions& common,
                     void (*run)(const ModelChoice&, const CommonOptions&)) {
  OptionSet command = parent.add_command(action, description);
  command.footer(std::string("Example:\n  ") + example);
  command.action([choice, &common, run] { run(*choice, common); });
  return command;
}

void add_name(OptionSet& command, ModelChoice& choice) {
  command.option("name", choice.name, "Name of the model, or how only its name begins").required();
}

void add_origin(OptionSet& command, ModelChoice& choice) {
  command.flag("--foreign", choice.foreign, "Take models of other machines and libraries too");
  add_library_options(command, choice.libraries);
}

}  // namespace

void add_model_command(OptionSet& app, CommonOptions& common) {
  OptionSet model = app.add_command("model", "Build, list, show, export and delete models of kernels");
  model.require_command();
  model.footer(footer);
  add_build(model, common);

  const auto choice = std::make_shared<ModelChoice>();
  OptionSet list = add_action(model, "list", "List the stored models", "flopcast model list", choice, common, list_models);
  add_origin(list, *choice);
  OptionSet show = add_action(model, "show", "Show the pieces of a model and their errors", "flopcast model show dtrsm --figure dtrsm.svg",
                              choice, common, show_model);
  add_name(show, *choice);
  add_origin(show, *choice);
  show.option("--figure", choice->figure, "Draw the partition of the domain into FILE (.svg, .png, .gp)").placeholder("FILE");
  OptionSet exporting = add_action(model, "export", "Write a model as the document {\"schema\": \"flopcast-model-1\"}",
                                   "flopcast model export dtrsm --output dtrsm.json", choice, common, export_model);
  add_name(exporting, *choice);
  add_origin(exporting, *choice);
  OptionSet deleting = add_action(model, "delete", "Delete a model; asks for its name once more", "flopcast model delete dtrsm", choice,
                                  common, delete_model);
  add_name(deleting, *choice);
  deleting.flag("-y,--yes", choice->yes, "Don't ask; the whole name must be given");
}

}  // namespace flopcast::cli
