#include "flopcast/cli/kernel_choice.hpp"

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "flopcast/cli/options.hpp"
#include "flopcast/cli/workbench.hpp"
#include "flopcast/core/error.hpp"
#include "flopcast/core/units.hpp"
#include "flopcast/machine/inspect.hpp"
#include "flopcast/machine/installed.hpp"
#include "flopcast/machine/topology.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* artifact = "kernel-choice";
/// A library that reaches less than this share of what its other kernels do has misread the CPU.
constexpr double poor = 0.8;

nlohmann::json inspect(const std::filesystem::path& file) {
  const machine::LibraryReport report = machine::inspect({file.filename().string(), file.string(), true, false}, true);
  nlohmann::json found = {{"kernels", report.identity.kernels}, {"dgemm_flops", report.dgemm_flops}};
  if (!report.trials.empty() && report.dgemm_flops < poor * report.trials.front().dgemm_flops) {
    found["better"] = {{"setting", report.trials.front().setting}, {"dgemm_flops", report.trials.front().dgemm_flops}};
  }
  return found;
}

/// Tells this build of the library on this CPU from others.
std::string key_of(const std::filesystem::path& file) {
  std::error_code unknown;
  return fmt::format("{} {} {}", machine::detect_topology().cpu, file.string(), std::filesystem::file_size(file, unknown));
}

/// Variables that are set and read by the library in `file`, as far as its name tells which that is.
KernelSettings in_force(const std::filesystem::path& file) {
  KernelSettings settings;
  const std::string name = file.filename().string();
  for (const machine::KernelChoice& choice : machine::kernel_choices()) {
    const std::string variable(choice.variable);
    const char* value = name.find(choice.library) != std::string::npos ? std::getenv(variable.c_str()) : nullptr;
    if (value != nullptr) {
      settings[variable] = value;
    }
  }
  return settings;
}

}  // namespace

KernelSettings choose_kernels(const LibraryOptions& options, const CommonOptions& common) {
  const std::filesystem::path file =
      machine::locate_usable(options.blas.empty() ? machine::default_blas(options.threads) : options.blas, machine::Role::blas);
  KernelSettings settings = in_force(file);
  if (options.kernels == "library" || !settings.empty()) {
    return settings;
  }
  const std::string key = key_of(file);
  model::Store store = open_store(common);
  std::optional<nlohmann::json> found = store.find_artifact(artifact, key);
  if (!found) {
    note(fmt::format("trying which kernels of {} suit this CPU (once)", file.string()), common);
    found = inspect(file);
    store.put_artifact(artifact, key, *found);
  }
  if (found->contains("better")) {
    const auto setting = found->at("better").at("setting").get<std::string>();
    const std::size_t equals = setting.find('=');
    settings[setting.substr(0, equals)] = setting.substr(equals + 1);
    ::setenv(setting.substr(0, equals).c_str(), setting.substr(equals + 1).c_str(), 1);
    note(fmt::format("{} chose '{}' kernels for this CPU ({}); with {} its dgemm makes {}, so that is what is measured and what 'flopcast "
                     "run' will set (--kernels library leaves it)",
                     file.filename().string(), found->at("kernels").get<std::string>(),
                     format_flop_rate(found->at("dgemm_flops").get<double>()), setting,
                     format_flop_rate(found->at("better").at("dgemm_flops").get<double>())),
         common);
  }
  return settings;
}

}  // namespace flopcast::cli
