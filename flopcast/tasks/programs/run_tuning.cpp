#include "flopcast/tasks/programs/run_tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/program/tuning_file.hpp"
#include "flopcast/protocol/thread_table.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/workbench/kernel_choice.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;

/// Returns what is known of the kernels of libraries that the tuning file doesn't hold for. Its own libraries' kernels are part of it.
KernelSettings further_kernels(const RunRequest& request, const LibraryIdentity& tuned, const RunServices& services) {
  return request.kernels == "library" ? KernelSettings() : services.known_kernels(tuned.path);
}

/// Returns the kernels to set without a tuning file: those of the library that is asked for, found by trying unless they are known, else
/// whatever is known.
KernelSettings kernels_alone(const RunRequest& request, const RunServices& services) {
  return named_blas(request).empty() || request.kernels == "library" ? further_kernels(request, {}, services)
                                                                     : services.better_kernels(request.blas);
}

/// The BLAS that the program is expected to load.
struct ExpectedBlas {
  fs::path file;         ///< empty if there is none
  bool certain = false;  ///< chosen for the program, or the one that it is linked with
};

/// Returns the BLAS chosen for the program, else the one that it is linked with, else the loader's libblas.so.3.
ExpectedBlas expected_blas(const RunRequest& request, const program::LibraryFiles& chosen, const RunServices& services) {
  if (!chosen.blas.empty()) {
    return {chosen.blas, true};
  }
  const fs::path own = services.programs_blas(request.command);
  return own.empty() ? ExpectedBlas{services.loaders_blas(), false} : ExpectedBlas{own, true};
}

/// Returns whether the library in `file`, which lies in a folder of its own, is one without threads.
bool lies_beside_serial(const fs::path& file, const RunServices& services) {
  const std::vector<machine::InstalledLibrary> installed = services.installed();
  return std::any_of(installed.begin(), installed.end(), [&](const machine::InstalledLibrary& library) {
    return library.has_blas && in_same_folder(library.path, file) &&
           (library.name.ends_with("-serial") || library.name.starts_with("reference"));
  });
}

/// Returns the threads that the program's BLAS is expected to have: as the request or the user's variables say, else one per core, or one
/// for a library without threads.
int expected_threads(const RunRequest& request, const fs::path& blas, const RunServices& services) {
  if (!blas.empty() && lies_beside_serial(blas, services)) {
    return 1;
  }
  if (request.threads) {
    return *request.threads;
  }
  for (const char* name : {"OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"}) {
    if (const int threads = std::atoi(services.variable(name).c_str()); threads > 0) {
      return threads;
    }
  }
  return services.cores();
}

/// Returns the part of a tuning file that suits this library and number of threads best. The library counts first, then the threads.
program::SavedTuning best_place(std::vector<program::SavedTuning> places, const fs::path& blas, int threads) {
  const auto distance = [&](const program::SavedTuning& place) {
    const bool other_library = !blas.empty() && !in_same_folder(blas, place.environment.blas.path);
    return std::pair(other_library, std::abs(place.environment.threads - threads));
  };
  return *std::min_element(places.begin(), places.end(),
                           [&](const program::SavedTuning& a, const program::SavedTuning& b) { return distance(a) < distance(b); });
}

/// Returns the command that tunes for these libraries and threads.
std::string tuning_command(const RunRequest& request, int threads) {
  return fmt::format("'flopcast tune ROUTINE --n 200:3200{} --threads {} --save' tunes for that",
                     named_blas(request).empty() ? "" : " --blas " + request.blas, threads);
}

/// Returns whether the BLAS in `file` is another one than `tuned`, whose builds for other kinds of threads count as the same.
bool is_other_library(const LibraryIdentity& tuned, const fs::path& file, const RunServices& services) {
  if (tuned.path.empty() || in_same_folder(file, tuned.path)) {
    return false;
  }
  std::string name = file.filename().string();
  for (const machine::InstalledLibrary& library : services.installed()) {
    if (library.has_blas && in_same_folder(library.path, file)) {
      name = library.name;
    }
  }
  return tuned.name.empty() || name.find(tuned.name) == std::string::npos;
}

/// Returns the libraries that may compute calls of programs with the BLAS in `blas`: one build of each library of another name, with as
/// wide integers. Builds with POSIX threads come first, and those without threads last. OpenBLAS counts as one library.
std::vector<OtherBlas> other_libraries(const fs::path& blas, int threads, const RunServices& services) {
  std::vector<machine::InstalledLibrary> installed = services.installed();
  const auto rank = [](const machine::InstalledLibrary& library) {
    return library.name.ends_with("-pthread") ? 0 : library.name.ends_with("-serial") ? 2 : 1;
  };
  std::stable_sort(installed.begin(), installed.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  std::string taken = blas.filename().string();
  for (const machine::InstalledLibrary& library : installed) {
    taken += library.has_blas && in_same_folder(library.path, blas) ? ' ' + library.name : "";
  }
  std::vector<OtherBlas> others;
  for (const machine::InstalledLibrary& library : installed) {
    const std::string name = library.name.substr(0, library.name.find('-'));
    const bool is_readable = library.path.find_first_of(",;") == std::string::npos;  // in the table's text
    if (library.has_blas && is_readable && taken.find(name) == std::string::npos && others.size() < protocol::max_other_libraries &&
        services.integer_bytes(library.path).value_or(4) == services.integer_bytes(blas).value_or(4)) {
      taken += ' ' + name;
      others.push_back({library.path, lies_beside_serial(library.path, services) ? 1 : threads});
    }
  }
  return others;
}

/// Returns why block sizes that were tuned in this environment don't hold for the program, as a clause; empty if they hold.
std::string misfit(const Environment& tuned, const RunRequest& request, const ExpectedBlas& blas, const RunServices& services) {
  if (!request.other_machine) {
    if (const std::string cpu = services.cpu(); tuned.cpu != cpu) {
      return fmt::format("they were tuned on another machine ('{}', this is '{}'); --other-machine uses them all the same", tuned.cpu, cpu);
    }
    for (const LibraryIdentity& library : {tuned.blas, tuned.lapack}) {
      const std::string digest = library.digest.empty() ? std::string() : services.digest(library.path);
      if (!library.digest.empty() && digest != library.digest) {
        return digest.empty() ? fmt::format("they were tuned with {}, which isn't there any more", library.path)
                              : fmt::format("{} is another build now than when they were tuned", library.path);
      }
    }
  }
  return blas.certain && is_other_library(tuned.blas, blas.file, services)
             ? fmt::format("they were tuned with {}, and the program loads {}", tuned.blas.path, blas.file.string())
             : "";
}

/// Notes that the tuning file holds for another number of threads.
void warn_of_threads(const Environment& tuned, const RunRequest& request, const ExpectedBlas& blas, int threads,
                     const RunServices& services, const RunContext& context) {
  const bool same_library = !tuned.blas.path.empty() && !blas.file.empty() &&
                            (in_same_folder(blas.file, tuned.blas.path) || !is_other_library(tuned.blas, blas.file, services));
  if (same_library && tuned.threads != threads) {
    context.note(fmt::format("the tuning file's block sizes hold for {} of BLAS, and {} are expected; {}", counted(tuned.threads, "thread"),
                             threads, tuning_command(request, threads)));
  }
}

/// Returns the settings to run with where no block size holds for the program.
program::SavedTuning without_block_sizes(const RunRequest& request, const std::string& why, const RunServices& services,
                                         const RunContext& context) {
  program::SavedTuning tuning;
  tuning.settings = request.tuning.empty() ? kernels_alone(request, services) : KernelSettings();
  context.note(fmt::format("the program runs with {}LAPACK's own block sizes, as {}",
                           tuning.settings.empty() ? "" : format_settings(tuning.settings) + " and ", why));
  return tuning;
}

/// Returns the settings to run with if there is no tuning file. Throws bad_input if the user named one.
program::SavedTuning without_tuning(const RunRequest& request, const std::string& file, const RunServices& services,
                                    const RunContext& context) {
  if (const std::string misfit = request.tuning.empty() ? services.system_misfit() : std::string(); !misfit.empty()) {
    return without_block_sizes(request, misfit, services, context);
  }
  const std::string lacking = file.empty() ? "there is no folder for a tuning file: none of FLOPCAST_HOME, XDG_DATA_HOME and HOME is set"
                                           : missing_tuning(file, request.tuning);
  if (!request.tuning.empty()) {
    throw bad_input("{}", lacking);
  }
  return without_block_sizes(request, lacking, services, context);
}

/// Adds to the user's place the routines that only the system's wisdom has for the same libraries and threads.
program::SavedTuning with_systems_routines(program::SavedTuning own, const std::vector<program::SavedTuning>& systems) {
  for (const program::SavedTuning& place : systems) {
    for (const program::TunedRoutine& routine : place.routines) {
      if (program::same_place(place.environment, own.environment) && !own.has(routine)) {
        own.set(routine);
      }
    }
  }
  return own;
}

/// Returns the file that the user named, else the default one; empty where the user has no folder.
std::string tuning_file(const RunRequest& request, const RunServices& services) {
  try {
    return request.tuning.empty() ? services.default_tuning() : request.tuning;
  } catch (const Error& error) {
    if (error.code() != ExitCode::environment) {
      throw;
    }
    return "";
  }
}

/// Returns the user's places and below them those of the system's wisdom.
std::vector<program::SavedTuning> known_places(const RunRequest& request, const std::string& file, const RunServices& services) {
  std::error_code none;
  std::vector<program::SavedTuning> places =
      file == "-" || fs::exists(file, none) ? program::places(program::read_tuning(file)) : std::vector<program::SavedTuning>();
  if (!request.tuning.empty()) {
    return places;
  }
  const std::vector<program::SavedTuning> systems = services.system_tunings();
  for (program::SavedTuning& place : places) {
    place = with_systems_routines(std::move(place), systems);
  }
  places.insert(places.end(), systems.begin(), systems.end());
  return places;
}

}  // namespace

std::string missing_tuning(const std::string& file, const std::string& requested) {
  return fmt::format("there is no tuning file {}; make one with: flopcast tune dgeqrf --n 200:3200 {}", file,
                     requested.empty() ? "--save" : "--tuning " + requested);
}

/// Threads and libraries are chosen together, and each has its reasons to choose nothing: the reason why this is one function.
std::string choose_threads(RunRequest& request, const program::LibraryFiles& chosen, const RunServices& services,
                           const RunContext& context) {
  const bool varies_threads = request.threads && *request.threads == 0, varies_blas = request.blas == automatic_blas;
  if (!varies_threads && !varies_blas) {
    return "";
  }
  if (varies_threads) {
    request.threads.reset();
  }
  const fs::path blas = expected_blas(request, chosen, services).file;
  const int threads = expected_threads(request, blas, services);
  if (varies_threads) {
    request.threads = threads;
  }
  if (varies_threads && threads == 1) {
    context.note("--threads auto chooses nothing, as BLAS may have one thread only");
  } else if (blas.empty()) {
    context.note(fmt::format("{} auto chooses nothing, as no BLAS was found that the program would load; --blas NAME chooses one",
                             varies_threads ? "--threads" : "--blas"));
  }
  ThreadOrder order{blas, chosen.lapack, threads, request.kernels, request.time_budget, varies_threads, {}};
  if (varies_blas && !blas.empty()) {
    order.others = other_libraries(blas, threads, services);
    if (order.others.empty()) {
      context.note(fmt::format("--blas auto chooses nothing, as {} is the only BLAS with integers of its width; the program keeps it",
                               blas.string()));
    }
  }
  const bool has_choice = !blas.empty() && ((varies_threads && threads > 1) || !order.others.empty());
  return has_choice ? services.thread_table(order) : "";
}

program::SavedTuning tuning_for(const RunRequest& request, const program::LibraryFiles& chosen, const RunServices& services,
                                const RunContext& context) {
  const std::string file = tuning_file(request, services);
  std::vector<program::SavedTuning> places = known_places(request, file, services);
  if (places.empty()) {
    return without_tuning(request, file, services, context);
  }
  const ExpectedBlas blas = expected_blas(request, chosen, services);
  const int threads = expected_threads(request, blas.file, services);
  const program::SavedTuning nearest = best_place(places, blas.file, threads);
  std::erase_if(places, [&](const program::SavedTuning& place) { return !misfit(place.environment, request, blas, services).empty(); });
  if (places.empty()) {
    return without_block_sizes(request,
                               fmt::format("those of {} don't hold here: {}. {}", file,
                                           misfit(nearest.environment, request, blas, services), tuning_command(request, threads)),
                               services, context);
  }
  program::SavedTuning tuning = best_place(std::move(places), blas.file, threads);
  if (request.kernels == "library") {
    tuning.settings.clear();
  }
  warn_of_threads(tuning.environment, request, blas, threads, services, context);
  tuning.settings.merge(further_kernels(request, tuning.environment.blas, services));
  return tuning;
}

}  // namespace flopcast
