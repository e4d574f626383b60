#include "flopcast/workbench/recorded_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string_view>
#include <tuple>
#include <utility>

#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/machine/libraries/dgemm_peak.hpp"
#include "flopcast/machine/libraries/in_child.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;

constexpr Seconds child_limit = 30;

/// Returns the result of `measure` for the BLAS in `file`, which a child process opens with these kernels.
nlohmann::json with_kernels(const fs::path& file, const KernelSettings& kernels,
                            const std::function<nlohmann::json(const machine::Library&)>& measure) {
  const KernelVariables users;
  KernelVariables::clear();
  return machine::in_child(
      [&] {
        for (const auto& [variable, value] : kernels) {
          ::setenv(variable.c_str(), value.c_str(), 1);
        }
        return measure(machine::Library::open(file.string(), machine::Role::blas));
      },
      child_limit);
}

double single_threaded_rate(const fs::path& file, const KernelSettings& kernels) {
  static constexpr int order = 320;  // as kernels are tried
  static constexpr Seconds budget = 0.1;
  return with_kernels(file, kernels,
                      [](const machine::Library& library) {
                        library.set_threads(1);
                        return nlohmann::json(machine::dgemm_rate(machine::WallClock(), library.function("dgemm"), order, budget));
                      })
      .get<double>();
}

/// Sets both rates, measured in turns; what was measured before is kept.
void compare(RecordedKernels& kernels, const fs::path& file, const RunContext& context) {
  static constexpr int rounds = 2;  // other programs may disturb one of them
  model::Store store = open_store(context);
  const std::string key =
      fmt::format("{} {} {}", library_key(file), format_settings(kernels.had_setting), format_settings(kernels.best_setting));
  const auto read = [](const nlohmann::json& kept) { return std::pair(member<double>(kept, "had"), member<double>(kept, "best")); };
  if (const auto kept = read_artifact(store, model::artifact::kernel_comparison, key, read)) {
    std::tie(kernels.had_flops, kernels.best_flops) = *kept;
    return;
  }
  for (int round = 0; round < rounds; ++round) {
    kernels.had_flops = std::max(kernels.had_flops, single_threaded_rate(file, kernels.had_setting));
    kernels.best_flops = std::max(kernels.best_flops, single_threaded_rate(file, kernels.best_setting));
  }
  put_artifact(store, model::artifact::kernel_comparison, key, {{"had", kernels.had_flops}, {"best", kernels.best_flops}});
}

/// Returns the beginning of a sentence that compares the kernels. `computes` is the verb in its tense.
std::string comparison(const RecordedKernels& kernels, std::string_view computes) {
  const std::string remedy = kernels.best_setting.empty() ? "as it chooses by itself" : "with " + format_settings(kernels.best_setting);
  return fmt::format("{} {} with '{}' kernels, whose dgemm makes {} here; {} it makes {}", kernels.library, computes, kernels.had,
                     format_flop_rate(kernels.had_flops), remedy, format_flop_rate(kernels.best_flops));
}

}  // namespace

bool RecordedKernels::misread() const {
  static constexpr double clearly = 1.25;  // as LibraryReport::better has it
  return had_flops > 0 && best_flops > clearly * had_flops;
}

std::string RecordedKernels::text() const {
  return fmt::format("{}. {}", comparison(*this, "computed"),
                     best_setting.empty()
                         ? "A variable such as OPENBLAS_CORETYPE was set for the program; profile --what-if kernels=auto predicts "
                           "it without"
                         : "'flopcast run' sets that, and profile --what-if kernels=auto predicts what it gains");
}

std::optional<RecordedKernels> recorded_kernels(const program::RecordedPlace& place, const RunContext& context) {
  if (place.blas.empty() || place.kernels.empty() || !program::is_this_machine(place)) {
    return std::nullopt;
  }
  try {
    const fs::path file = machine::locate_usable(place.blas, machine::Role::blas);
    const KernelFinding finding = find_kernels(file, context);
    RecordedKernels kernels{file.filename().string(), place.kernels, {}, finding.better, finding.dgemm_flops, finding.better_flops};
    if (place.kernels == finding.kernels || finding.kernels.empty()) {
      return kernels;
    }
    kernels.had_setting = settings_for(file, place.kernels);
    kernels.had_flops = kernels.best_flops = 0;
    if (!kernels.had_setting.empty() && kernels.had_setting != finding.better) {
      compare(kernels, file, context);
    }
    return kernels;
  } catch (const Error&) {
    context.rethrow_if_cancelled();
    return std::nullopt;  // who needs the library says what is wrong with it
  }
}

std::string environment_remark(const fs::path& file, const RunContext& context) {
  const KernelSettings set = in_force(file);
  if (set.empty()) {
    return "";
  }
  const KernelFinding finding = find_kernels(file, context);
  if (set == finding.better) {
    return "";
  }
  RecordedKernels kernels{file.filename().string(), "", set, finding.better, 0, 0};
  compare(kernels, file, context);
  if (!kernels.misread()) {
    return "";
  }
  kernels.had = with_kernels(file, set, [](const machine::Library& library) {
                  return nlohmann::json(library.identity().kernels);
                }).get<std::string>();
  return fmt::format("{}. {} in the environment selects the slower kernels and is left as it is. Unset the variable to use the faster ones",
                     comparison(kernels, "computes"), format_settings(set));
}

program::PeakRate measure_peak(const program::RecordedPlace& place, const KernelSettings& kernels) {
  const fs::path file = machine::locate_usable(place.blas, machine::Role::blas);
  const int threads = place.threads.value_or(1);
  const nlohmann::json measured = with_kernels(file, kernels, [threads](const machine::Library& library) {
    library.set_threads(threads);
    return nlohmann::json{{"rate", machine::peak_flops(machine::WallClock(), library.function("dgemm"))},
                          {"name", library.identity().name},
                          {"version", library.identity().version},
                          {"kernels", library.identity().kernels}};
  });
  const auto chosen = measured.at("kernels").get<std::string>();
  return {measured.at("rate").get<double>(), fmt::format("the best dgemm of {} {}{} with {}", measured.at("name").get<std::string>(),
                                                         measured.at("version").get<std::string>(),
                                                         chosen.empty() ? "" : " (kernels " + chosen + ")", counted(threads, "thread"))};
}

}  // namespace flopcast
