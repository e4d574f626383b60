#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/cli/model/actions.hpp"
#include "flopcast/cli/model/tables.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/modelling/modelling.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer = R"(Examples:
  flopcast model build dtrsm side=L uplo=L transa=N m=8:128 n=8:128 --error 10%
  flopcast model list
  flopcast model show dtrsm)";

constexpr const char* build_footer = R"(Samples are stored as they come: after Ctrl-C the same command goes on where it stopped.
A size can be one value (n=64), a range (m=8:1024) or several ranges (k=8:64,256:512).

Examples:
  flopcast model build dtrsm side=L uplo=L transa=N m=8:512 n=8:512 --cache warm --error 5% --time-budget 1min
  flopcast model build dger m=8:1000 n=8:1000 --method levels)";

constexpr std::int64_t largest_size = 1'000'000;

/// Reads `64`, `8:1024` or `8:128,512:1024`. Messages begin with `what`.
std::vector<SizeRange> parse_ranges(std::string_view text, const std::string& what) {
  std::vector<SizeRange> ranges;
  for (const std::string_view item : split(text, ',')) {
    const std::vector<std::string_view> ends = split(item, ':');
    if (ends.size() > 2) {
      throw bad_input("{}: '{}' is not a size or FIRST:LAST; a model's domain has no step", what, item);
    }
    ranges.push_back({parse_integer(ends.front(), what, 1, largest_size), parse_integer(ends.back(), what, 1, largest_size)});
  }
  return ranges;
}

bool is_size(const Routine& routine, const std::string& name) {
  return std::any_of(routine.arguments.begin(), routine.arguments.end(),
                     [&](const Argument& argument) { return argument.kind == Kind::size && argument.name == name; });
}

/// Reads `side=L`, `m=8:1024`, `k=8:128,512:1024` into the request. Throws bad_input that names the argument at fault.
void parse_arguments(const std::vector<std::string>& words, ModelRequest& request) {
  const Routine& routine = kernel::require(request.routine);
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw bad_input("'{}' is no argument of {}; expected NAME=VALUE such as m=8:1024", word, routine.name);
    }
    const std::string name = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    const bool is_new = is_size(routine, name)
                            ? request.sizes.emplace(name, parse_ranges(value, fmt::format("size {} of {}", name, routine.name))).second
                            : request.arguments.emplace(name, value).second;
    if (!is_new) {
      throw bad_input("argument '{}' of {} is given twice", name, routine.name);
    }
  }
}

struct BuildArguments {
  ModelRequest request;
  std::vector<std::string> words;
  machine::LibraryChoice libraries;
  ResultFiles files;
  bool dry_run = false;
};

void add_build(OptionSet& parent, CommonOptions& common) {
  auto given = std::make_shared<BuildArguments>();
  OptionSet command = parent.add_command("build", "Sample a routine over ranges of its sizes and store the model");
  add_request(command, given->request);
  command.option("arguments", given->words, "Flags, scalars and sizes such as side=L m=8:1024").required().placeholder("NAME=VALUE ...");
  command.flag("--dry-run", given->dry_run, "Do nothing: only list what would be measured");
  add_library_options(command, given->libraries);
  add_result_files(command, given->files);
  command.footer(build_footer);
  command.action([given, &common] {
    parse_arguments(given->words, given->request);
    const Workbench bench(given->libraries, run_context(common));
    if (given->dry_run) {
      show_plan(plan_model(bench, given->request, run_context(common)), common);
    } else {
      const ModelBuild build = build_model(bench, given->request, run_context(common));
      show_build(build, common);
      write_result_files(build, given->files, common);
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

template <class Request>
void add_choice(OptionSet& command, Request& request, ModelChoice& choice) {
  add_request(command, request);
  add_library_options(command, choice.libraries);
}

}  // namespace

void add_model_command(OptionSet& app, CommonOptions& common) {
  OptionSet model = app.add_command("model", "Build, list, show, export, delete and check models of kernels");
  model.require_command();
  model.footer(footer);
  add_build(model, common);

  const auto choice = std::make_shared<ModelChoice>();
  OptionSet list = add_action(model, "list", "List the stored models", "flopcast model list", choice, common, list_models);
  add_choice(list, choice->list, *choice);
  OptionSet show = add_action(model, "show", "Show the pieces of a model and their errors", "flopcast model show dtrsm --figure dtrsm.svg",
                              choice, common, show_model);
  add_choice(show, choice->model, *choice);
  add_result_files(show, choice->files);
  OptionSet exporting = add_action(model, "export", "Write a model as the document {\"schema\": \"flopcast-model-1\"}",
                                   "flopcast model export dtrsm --output dtrsm.json", choice, common, export_model);
  add_choice(exporting, choice->model, *choice);
  OptionSet deleting = add_action(model, "delete", "Delete a model; asks for its name once more", "flopcast model delete dtrsm", choice,
                                  common, delete_model);
  deleting.option("name", choice->model.name, "Name of the model, or the beginning of one name only").required();
  deleting.flag("-y,--yes", choice->yes, "Don't ask; the whole name must be given");
  add_check(model, common);
}

}  // namespace flopcast::cli
