#include "flopcast/workbench/kernel_choice.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <vector>

#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/libraries/inspect_library.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/workbench/wisdom_file.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {
namespace {

/// Kernels with which dgemm is much faster, as the store keeps them.
struct BetterKernels {
  std::string setting;  ///< "OPENBLAS_CORETYPE=SkylakeX"
  double dgemm_flops = 0;
};
/// The result of trying a library's kernels, as the store keeps it.
struct TriedKernels {
  std::string kernels;
  double dgemm_flops = 0;
  std::optional<BetterKernels> better;
};

}  // namespace

template <>
Fields FieldTable<BetterKernels>::fields() {
  return {field<&T::setting>("variable that selects the kernels"),
          field<&T::dgemm_flops>("rate of a large dgemm with one thread").named("dgemm_flops_per_second")};
}
template <>
Fields FieldTable<TriedKernels>::fields() {
  return {field<&T::kernels>("kernels that the library chooses"),
          field<&T::dgemm_flops>("rate of a large dgemm with one thread").named("dgemm_flops_per_second"),
          field<&T::better>("much faster kernels")};
}

namespace {

namespace fs = std::filesystem;

TriedKernels inspect(const fs::path& file) {
  const machine::LibraryReport report = machine::inspect({file.filename().string(), file.string(), true, false}, true);
  TriedKernels found{report.identity.kernels, report.dgemm_flops, {}};
  if (const machine::KernelTrial* better = report.better()) {
    found.better = BetterKernels{better->setting, better->dgemm_flops};
  }
  return found;
}

/// Returns the variable and value of the better kernels in `found`; nothing if the library chooses well by itself.
KernelSettings better_of(const TriedKernels& found) {
  if (!found.better) {
    return {};
  }
  const std::size_t equals = found.better->setting.find('=');
  return {{found.better->setting.substr(0, equals), found.better->setting.substr(equals + 1)}};
}

/// Reads a stored result of inspect(). Throws json's exception if a member is missing, or sets another variable than one of kernels.
TriedKernels tried_from(const nlohmann::json& document) {
  TriedKernels found;
  read_value(document, found);
  if (found.better && !machine::selects_kernels(found.better->setting.substr(0, found.better->setting.find('=')))) {
    throw MemberError("better.setting", fmt::format("'{}' sets no variable that selects kernels", found.better->setting));
  }
  return found;
}

void put_variable(const std::string& name, const std::optional<std::string>& value) {
  if (value) {
    ::setenv(name.c_str(), value->c_str(), 1);
  } else {
    ::unsetenv(name.c_str());
  }
}

/// Returns the stored result for a library, or the result of trying its kernels now.
TriedKernels found_kernels(const fs::path& file, model::Store& store, const RunContext& context) {
  const std::string key = library_key(file);
  if (std::optional<TriedKernels> kept = read_artifact(store, model::artifact::kernel_choice, key, tried_from)) {
    return *std::move(kept);
  }
  context.note(fmt::format("trying which kernels of {} suit this CPU (once)", file.string()));
  const KernelVariables users;
  KernelVariables::clear();
  TriedKernels found = inspect(file);
  put_artifact(store, model::artifact::kernel_choice, key, found);
  return found;
}

TriedKernels found_kernels(const fs::path& file, const RunContext& context) {
  model::Store store = open_store(context);
  return found_kernels(file, store, context);
}

std::string remark(const fs::path& file, const TriedKernels& found) {
  return fmt::format("{} chose '{}' kernels for this CPU ({}); with {} its dgemm makes {}", file.filename().string(), found.kernels,
                     format_flop_rate(found.dgemm_flops), found.better->setting, format_flop_rate(found.better->dgemm_flops));
}

}  // namespace

KernelSettings in_force(const fs::path& file) {
  KernelSettings settings;
  const std::string path = file.string();
  for (const machine::KernelChoice& choice : machine::kernel_choices()) {
    const std::string variable(choice.variable);
    const char* value = path.find(choice.library) != std::string::npos ? std::getenv(variable.c_str()) : nullptr;
    if (value != nullptr) {
      settings[variable] = value;
    }
  }
  return settings;
}

std::string format_settings(const KernelSettings& settings) {
  std::string text;
  for (const auto& [variable, value] : settings) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", variable, value);
  }
  return text;
}

KernelSettings better_kernels(const fs::path& file, std::string_view consequence, const RunContext& context, const GetStore& store) {
  if (!in_force(file).empty()) {
    return {};
  }
  const TriedKernels found = store ? found_kernels(file, store(), context) : found_kernels(file, context);
  KernelSettings better = better_of(found);
  static std::set<std::string> told;  // once per library, however many routines and thread counts it is opened for
  if (!better.empty() && told.insert(library_key(file)).second) {
    context.note(fmt::format("{}, {} (--kernels library leaves it)", remark(file, found), consequence));
  }
  return better;
}

std::string library_key(const fs::path& file) {
  std::error_code unknown;
  return fmt::format("{} {} {}", machine::detect_topology().cpu, file.string(), fs::file_size(file, unknown));
}

std::optional<TriedLibrary> tried_library(const std::string& key, const std::string& cpu) {
  const std::size_t last = key.rfind(' ');
  if (key.rfind(cpu + ' ', 0) != 0 || last <= cpu.size() + 1) {
    return std::nullopt;
  }
  TriedLibrary library{cpu, key.substr(cpu.size() + 1, last - cpu.size() - 1)};
  const std::string_view bytes = std::string_view(key).substr(last + 1);
  const auto read = std::from_chars(bytes.data(), bytes.data() + bytes.size(), library.bytes);
  return read.ec == std::errc() && read.ptr == bytes.data() + bytes.size() ? std::optional(library) : std::nullopt;
}

void require_kernel_choice(const nlohmann::json& document) { static_cast<void>(tried_from(document)); }

std::string kernel_choice_text(const nlohmann::json& document) {
  const TriedKernels found = tried_from(document);
  const KernelSettings better = better_of(found);
  return (found.kernels.empty() ? "its own kernels" : found.kernels) + (better.empty() ? "" : ", better with " + format_settings(better));
}

KernelFinding find_kernels(const fs::path& file, const RunContext& context) {
  const TriedKernels found = found_kernels(file, context);
  return {found.kernels, found.dgemm_flops, better_of(found), found.better ? found.better->dgemm_flops : 0};
}

KernelSettings settings_for(const fs::path& file, const std::string& kernels) {
  const std::string path = file.string();
  for (const machine::KernelChoice& choice : machine::kernel_choices()) {
    if (path.find(choice.library) != std::string::npos && choice.kernels == kernels) {
      return {{std::string(choice.variable), std::string(choice.value)}};
    }
  }
  const bool takes_names = path.find("openblas") != std::string::npos;  // its variable takes what it calls its kernels
  return takes_names && !kernels.empty() ? KernelSettings{{"OPENBLAS_CORETYPE", kernels}} : KernelSettings();
}

KernelVariables::KernelVariables() {
  for (const machine::KernelChoice& choice : machine::kernel_choices()) {
    const std::string name(choice.variable);
    const char* value = std::getenv(name.c_str());
    before_[name] = value != nullptr ? std::optional<std::string>(value) : std::nullopt;
  }
}

KernelVariables::~KernelVariables() {
  for (const auto& [name, value] : before_) {
    put_variable(name, value);
  }
}

void KernelVariables::clear() {
  for (const machine::KernelChoice& choice : machine::kernel_choices()) {
    put_variable(std::string(choice.variable), std::nullopt);
  }
}

KernelSettings known_kernels(const fs::path& but) {
  KernelSettings known;
  std::optional<model::Store> store;
  try {
    store.emplace(model::Store::open_copy(model::default_store_path()));
  } catch (const Error&) {  // there is no store, or it can't be read: the user's own trials aren't known
  }
  const std::vector<model::Artifact> systems = system_wisdom({}).artifacts;
  if (!store && systems.empty()) {
    return known;
  }
  for (const machine::InstalledLibrary& library : machine::installed_libraries()) {
    if (library.path == but || !in_force(library.path).empty()) {
      continue;
    }
    const std::string key = library_key(library.path);
    std::optional<TriedKernels> found;
    try {
      found = store ? read_artifact(*store, model::artifact::kernel_choice, key, tried_from) : std::nullopt;
    } catch (const Error&) {  // an entry that can't be read counts as unknown
    }
    const auto systems_own = std::find_if(systems.begin(), systems.end(), [&](const model::Artifact& one) {
      return one.kind == model::artifact::kernel_choice && one.name == key;
    });
    if (!found && systems_own != systems.end()) {
      found = tried_from(systems_own->document);
    }
    known.merge(better_of(found.value_or(TriedKernels())));
  }
  return known;
}

KernelSettings choose_kernels(const machine::LibraryChoice& options, const RunContext& context, const GetStore& store) {
  const fs::path file =
      machine::locate_usable(options.blas.empty() ? machine::default_blas(options.threads) : options.blas, machine::Role::blas);
  for (const auto& [variable, value] : options.kernel_settings) {
    put_variable(variable, value);
  }
  KernelSettings settings = in_force(file);
  if (!options.kernel_settings.empty()) {
    return options.kernel_settings;
  }
  if (options.kernels == "library" || !settings.empty()) {
    return settings;
  }
  settings = better_kernels(file, "so that is what is measured and what 'flopcast run' will set", context, store);
  for (const auto& [variable, value] : settings) {
    ::setenv(variable.c_str(), value.c_str(), 1);
  }
  return settings;
}

}  // namespace flopcast
