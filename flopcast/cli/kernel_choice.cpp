#include "flopcast/cli/kernel_choice.hpp"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>

#include "flopcast/cli/options.hpp"
#include "flopcast/cli/workbench.hpp"
#include "flopcast/core/error.hpp"
#include "flopcast/core/units.hpp"
#include "flopcast/machine/inspect.hpp"
#include "flopcast/machine/installed.hpp"
#include "flopcast/machine/topology.hpp"

namespace flopcast::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* artifact = "kernel-choice";

nlohmann::json inspect(const fs::path& file) {
  const machine::LibraryReport report = machine::inspect({file.filename().string(), file.string(), true, false}, true);
  nlohmann::json found = {{"kernels", report.identity.kernels}, {"dgemm_flops", report.dgemm_flops}};
  if (const machine::KernelTrial* better = report.better()) {
    found["better"] = {{"setting", better->setting}, {"dgemm_flops", better->dgemm_flops}};
  }
  return found;
}

/// Tells this build of the library on this CPU from others.
std::string key_of(const fs::path& file) {
  std::error_code unknown;
  return fmt::format("{} {} {}", machine::detect_topology().cpu, file.string(), fs::file_size(file, unknown));
}

/// Variables that are set and read by the library in `file`, as far as its path tells which that is: `openblas-pthread/libblas.so.3`.
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

/// The variable and its value of what inspect found; nothing if the library chooses well by itself.
KernelSettings better_of(const nlohmann::json& found) {
  if (!found.contains("better")) {
    return {};
  }
  const auto setting = found.at("better").at("setting").get<std::string>();
  const std::size_t equals = setting.find('=');
  return {{setting.substr(0, equals), setting.substr(equals + 1)}};
}

std::string remark(const fs::path& file, const nlohmann::json& found) {
  return fmt::format("{} chose '{}' kernels for this CPU ({}); with {} its dgemm makes {}", file.filename().string(),
                     found.at("kernels").get<std::string>(), format_flop_rate(found.at("dgemm_flops").get<double>()),
                     found.at("better").at("setting").get<std::string>(),
                     format_flop_rate(found.at("better").at("dgemm_flops").get<double>()));
}

}  // namespace

std::string text_of(const KernelSettings& settings) {
  std::string text;
  for (const auto& [variable, value] : settings) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", variable, value);
  }
  return text;
}

KernelSettings better_kernels(const fs::path& file, std::string_view consequence, const CommonOptions& common) {
  if (!in_force(file).empty()) {
    return {};
  }
  const std::string key = key_of(file);
  model::Store store = open_store(common);
  std::optional<nlohmann::json> found = store.find_artifact(artifact, key);
  if (!found) {
    note(fmt::format("trying which kernels of {} suit this CPU (once)", file.string()), common);
    found = inspect(file);
    store.put_artifact(artifact, key, *found);
  }
  KernelSettings better = better_of(*found);
  static std::set<std::string> told;  // once per library, however many routines and thread counts it is opened for
  if (!better.empty() && told.insert(key).second) {
    note(fmt::format("{}, {} (--kernels library leaves it)", remark(file, *found), consequence), common);
  }
  return better;
}

KernelSettings known_kernels(const fs::path& but) {
  KernelSettings known;
  try {
    const model::Store store = model::Store::open_copy(model::default_store_path());
    for (const machine::InstalledLibrary& library : machine::installed_libraries()) {
      if (library.path != but && in_force(library.path).empty()) {
        known.merge(better_of(store.find_artifact(artifact, key_of(library.path)).value_or(nlohmann::json())));
      }
    }
  } catch (const Error&) {
    return known;  // there is no store, or it can't be read: nothing is known
  }
  return known;
}

KernelSettings choose_kernels(const LibraryOptions& options, const CommonOptions& common) {
  const fs::path file =
      machine::locate_usable(options.blas.empty() ? machine::default_blas(options.threads) : options.blas, machine::Role::blas);
  KernelSettings settings = in_force(file);
  if (options.kernels == "library" || !settings.empty()) {
    return settings;
  }
  settings = better_kernels(file, "so that is what is measured and what 'flopcast run' will set", common);
  for (const auto& [variable, value] : settings) {
    ::setenv(variable.c_str(), value.c_str(), 1);
  }
  return settings;
}

}  // namespace flopcast::cli
