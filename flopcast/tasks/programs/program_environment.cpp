#include "flopcast/tasks/programs/programs.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <utility>

#include <nlohmann/json.hpp>

#include "flopcast/program/program_libraries.hpp"
#include "flopcast/support/digest.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/scratch.hpp"
#include "flopcast/support/user_folders.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"
#include "flopcast/tasks/programs/run_services.hpp"

namespace flopcast {

using VariableAction = ProgramEnvironment::VariableAction;
using Change = ProgramEnvironment::Change;

template <>
struct EnumNames<VariableAction> {
  static constexpr std::array names = {std::pair{VariableAction::assign, "assign"}, std::pair{VariableAction::suggest, "suggest"},
                                       std::pair{VariableAction::prepend, "prepend"}};
};

template <>
Fields FieldTable<Change>::fields() {
  return {field<&T::name>("name of the environment variable"),
          field<&T::action>(
              "assign: set the variable; suggest: set the variable unless it is set; prepend: put the value and a colon before the "
              "variable's value, unless the value is in there"),
          field<&T::value>("value to set, or to put before the variable's")};
}

template <>
Fields FieldTable<ProgramEnvironment>::fields() {
  return {field<&T::changes>("changes of the environment, in their order"),
          field<&T::variables>("values that the changes give in the present environment"),
          field<&T::blas>("file that takes the place of the program's BLAS; empty: its own stays"),
          field<&T::lapack>("file that takes the place of the program's LAPACK; empty: its own stays"),
          field<&T::routines>("routines with tuned block sizes: \"dgeqrf\", \"dpotrf:L\"")};
}

namespace {

namespace fs = std::filesystem;

constexpr const char* environment_document = "flopcast-environment-1";

/// Returns the folder for links to these files. Its name depends on them, so that links of one folder never change.
fs::path link_folder(const EnvironmentRequest& request, const std::string& files) {
  const fs::path all = request.links.empty() ? user_data_folder("links to libraries", "Name one with --links FOLDER") / "libraries"
                                             : fs::path(request.links);
  return fs::absolute(all) / hexadecimal_digest(files);
}

/// Returns whether the text, which is separated by colons, has this part already. The part may contain colons.
bool has_part(const std::string& text, const std::string& part) { return (':' + text + ':').find(':' + part + ':') != std::string::npos; }

/// Returns the variable's value after the change.
std::string changed(const std::string& before, const Change& change) {
  switch (change.action) {
    case VariableAction::assign: return change.value;
    case VariableAction::suggest: return before.empty() ? change.value : before;
    case VariableAction::prepend: break;
  }
  return before.empty() ? change.value : has_part(before, change.value) ? before : change.value + ':' + before;
}

/// Throws bad_input if no program could be started with this variable.
void require_short(const std::string& name, const std::string& value) {
  constexpr std::size_t max_variable_bytes = 128 * 1024;  // MAX_ARG_STRLEN of Linux: name, sign, value and the final zero
  if (name.size() + value.size() + 2 > max_variable_bytes) {
    throw bad_input(
        "the variable {} would have {} bytes, and Linux allows {}. Tune fewer routines or sizes into the tuning file, or use 'flopcast "
        "run'",
        name, name.size() + value.size() + 2, max_variable_bytes);
  }
}

class Changes {
 public:
  explicit Changes(const RunServices& services) : services_(&services) {}

  void add(const std::string& name, const std::string& value, VariableAction action) {
    if (value.empty() && action != VariableAction::assign) {
      return;
    }
    all_.push_back({name, value, action});
    require_short(name, changed(services_->variable(name), all_.back()));
  }
  [[nodiscard]] ProgramEnvironment result() && {
    ProgramEnvironment environment;
    for (const Change& change : all_) {
      environment.variables[change.name] = changed(services_->variable(change.name), change);
    }
    environment.changes = std::move(all_);
    return environment;
  }

 private:
  const RunServices* services_;
  std::vector<Change> all_;
};

}  // namespace

ProgramEnvironment program_environment(const EnvironmentRequest& request, const RunServices& services, const RunContext& context) {
  const RunSettings settings = run_settings(request.run, services, context);
  Changes changes(services);
  for (const auto& [name, value] : settings.variables) {
    if (!settings.tuning.settings.contains(name)) {
      changes.add(name, value, VariableAction::assign);
    }
  }
  for (const auto& [name, value] : settings.tuning.settings) {
    changes.add(name, value, VariableAction::suggest);
  }
  const program::LibraryFiles libraries = services.libraries(request.run);
  fs::path preload = fs::absolute(settings.preload);
  if (libraries != program::LibraryFiles{} || !is_listable(preload)) {
    const fs::path folder =
        link_folder(request, fmt::format("{};{};{};{}", settings.blas, settings.lapack, libraries.wide, settings.preload));
    const RunServices::SearchPaths paths = services.keep_links(libraries, preload, folder);
    preload = paths.preload;
    changes.add("LD_LIBRARY_PATH", paths.libraries, VariableAction::prepend);
    changes.add("R_LD_LIBRARY_PATH", paths.r_libraries, VariableAction::assign);
  }
  changes.add("LD_PRELOAD", preload.string(), VariableAction::prepend);
  changes.add("ASAN_OPTIONS", "verify_asan_link_order=0", VariableAction::prepend);
  ProgramEnvironment environment = std::move(changes).result();
  environment.blas = settings.blas;
  environment.lapack = settings.lapack;
  for (const program::TunedRoutine& routine : settings.tuning.routines) {
    environment.routines.push_back(program::routine_label(routine.name, routine.flags));
  }
  return environment;
}

ProgramEnvironment program_environment(const EnvironmentRequest& request, const RunContext& context) {
  return program_environment(request, this_run_services(context), context);
}

std::string to_json(const ProgramEnvironment& environment) { return to_document(environment, environment_document).dump(2); }
ProgramEnvironment program_environment_from_json(std::string_view text) {
  return from_document<ProgramEnvironment>(text, "program environment", environment_document);
}

PublishedSchema program_environment_schema() {
  return published<ProgramEnvironment>(environment_document, "Variables with which programs run as under `flopcast run`");
}

}  // namespace flopcast
