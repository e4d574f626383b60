#include "flopcast/machine/libraries/inspect_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "flopcast/core/documents.hpp"
#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/machine/libraries/dgemm_peak.hpp"
#include "flopcast/machine/libraries/in_child.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast::machine {
namespace {

constexpr Seconds inspection_limit = 30;
constexpr int trial_order = 320;
constexpr Seconds trial_budget = 0.05;

/// Loads the library, here, and describes it: {"identity", "dgemm_flops_per_second"}.
nlohmann::json describe(const InstalledLibrary& installed, bool time_dgemm) {
  const Library library = Library::open(installed.path, installed.has_blas ? Role::blas : Role::lapack);
  double rate = 0;
  if (time_dgemm && installed.has_blas) {
    library.set_threads(1);
    rate = dgemm_rate(WallClock(), library.function("dgemm"), trial_order, trial_budget);
  }
  return {{"identity", library.identity()}, {"dgemm_flops_per_second", rate}};
}

#if defined(__x86_64__)
bool cpu_has(std::string_view feature) {
  return feature == "avx512" ? __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
                             : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
bool cpu_has(std::string_view) { return false; }
#endif

/// Has a child describe the library, with another choice of kernels unless `choice` is null.
nlohmann::json look(const InstalledLibrary& library, const KernelChoice* choice, bool time_dgemm) {
  return in_child(
      [&] {
        if (choice != nullptr) {
          setenv(std::string(choice->variable).c_str(), std::string(choice->value).c_str(), 1);
        }
        return describe(library, time_dgemm);
      },
      inspection_limit);
}

/// Times dgemm with every other choice of kernels once. Each keeps its best rate; the fastest come first.
void try_others(LibraryReport& report) {
  for (const KernelChoice& choice : kernel_choices()) {
    if (choice.library != report.identity.name || choice.kernels == report.identity.kernels || !cpu_has(choice.feature)) {
      continue;
    }
    const std::string setting = fmt::format("{}={}", choice.variable, choice.value);
    try {
      const nlohmann::json found = look(report.installed, &choice, true);
      if (found.at("identity").at("kernels") != choice.kernels) {
        continue;
      }
      auto trial = std::find_if(report.trials.begin(), report.trials.end(), [&](const KernelTrial& one) { return one.setting == setting; });
      if (trial == report.trials.end()) {
        trial = report.trials.insert(trial, {setting, std::string(choice.kernels), 0});
      }
      trial->dgemm_flops = std::max(trial->dgemm_flops, member<double>(found, "dgemm_flops_per_second"));
    } catch (const Error&) {
      continue;  // these kernels don't run here; the ones that it chose do
    }
  }
  std::sort(report.trials.begin(), report.trials.end(),
            [](const KernelTrial& a, const KernelTrial& b) { return a.dgemm_flops > b.dgemm_flops; });
}

}  // namespace

const std::vector<KernelChoice>& kernel_choices() {
  static const std::vector<KernelChoice> choices = {
      {"openblas", "OPENBLAS_CORETYPE", "SkylakeX", "SkylakeX", "avx512"},
      {"openblas", "OPENBLAS_CORETYPE", "Haswell", "Haswell", "avx2"},
      {"openblas", "OPENBLAS_CORETYPE", "Zen", "Zen", "avx2"},
      {"blis", "BLIS_ARCH_TYPE", "0", "skx", "avx512"},  // numbers as of BLIS 0.9; a library that means something else by them says so
      {"blis", "BLIS_ARCH_TYPE", "3", "haswell", "avx2"},
  };
  return choices;
}

bool selects_kernels(std::string_view name) {
  return std::any_of(kernel_choices().begin(), kernel_choices().end(), [&](const KernelChoice& choice) { return choice.variable == name; });
}

const KernelTrial* LibraryReport::better() const {
  static constexpr double much_faster = 1.25;
  return !trials.empty() && trials.front().dgemm_flops > much_faster * dgemm_flops ? &trials.front() : nullptr;
}

std::vector<SlowDgemm> slow_libraries(const std::vector<LibraryReport>& reports, const std::map<std::string, double>& known) {
  static constexpr double noisy = 0.75;
  std::vector<SlowDgemm> slow;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const LibraryReport& report = reports[i];
    const auto before = known.find(library_key(report.identity));
    double expected = before == known.end() ? 0 : before->second;
    for (const LibraryReport& other : reports) {
      const bool same = other.identity.name == report.identity.name && other.identity.version == report.identity.version &&
                        other.identity.kernels == report.identity.kernels;
      expected = same ? std::max(expected, other.dgemm_flops) : expected;
    }
    if (report.dgemm_flops > 0 && report.dgemm_flops < noisy * expected) {
      slow.push_back({i, expected});
    }
  }
  return slow;
}

LibraryReport inspect(const InstalledLibrary& library, bool try_kernels) {
  // Other programs can halve a rate for longer than a trial takes. Therefore close candidates are compared by the best of several trials.
  // Where two rounds have found nothing better, others would hardly find anything much better.
  static constexpr int max_rounds = 4;
  static constexpr double clearly_worse = 0.8;
  static constexpr double hardly_better = 1.1;
  LibraryReport report{library, {}, 0, {}, ""};
  try {
    bool is_close = true;
    for (int round = 0; is_close && round < max_rounds; ++round) {
      const nlohmann::json found = look(library, nullptr, try_kernels);
      read_member(found, "identity", report.identity);
      report.dgemm_flops = std::max(report.dgemm_flops, member<double>(found, "dgemm_flops_per_second"));
      if (try_kernels) {
        try_others(report);
      }
      is_close =
          !report.trials.empty() && report.trials.front().dgemm_flops > (round == 0 ? clearly_worse : hardly_better) * report.dgemm_flops;
    }
  } catch (const Error& error) {
    report.failure = error.what();
  }
  return report;
}

}  // namespace flopcast::machine
