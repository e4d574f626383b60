#include "flopcast/tasks/programs/run_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/program/profile_file.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/workbench/kernel_choice.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;

/// Returns what is known of the kernels of libraries that the profile doesn't hold for. Its own libraries' kernels are part of it.
KernelSettings further_kernels(const RunRequest& request, const LibraryIdentity& tuned, const RunWorld& world) {
  return request.kernels == "library" ? KernelSettings() : world.known_kernels(tuned.path);
}

/// Returns the kernels to set without a profile: those of the library that is asked for, found by trying unless they are known, else
/// whatever is known.
KernelSettings kernels_alone(const RunRequest& request, const RunWorld& world) {
  return request.blas.empty() || request.kernels == "library" ? further_kernels(request, {}, world) : world.better_kernels(request.blas);
}

/// Returns the BLAS that the program is expected to load: the one chosen for it, else the loader's libblas.so.3; empty if there is none.
fs::path expected_blas(const program::LibraryFiles& chosen, const RunWorld& world) {
  return chosen.blas.empty() ? world.loaders_blas() : chosen.blas;
}

/// Returns whether the library in `file`, which lies in a folder of its own, is one without threads.
bool lies_beside_serial(const fs::path& file, const RunWorld& world) {
  const std::vector<machine::InstalledLibrary> installed = world.installed();
  return std::any_of(installed.begin(), installed.end(), [&](const machine::InstalledLibrary& library) {
    return library.has_blas && in_same_folder(library.path, file) && (library.name.ends_with("-serial") || library.name == "reference");
  });
}

/// Returns the threads that the program's BLAS is expected to have: as the request or the user's variables say, else one per core, or one
/// for a library without threads.
int expected_threads(const RunRequest& request, const fs::path& blas, const RunWorld& world) {
  if (!blas.empty() && lies_beside_serial(blas, world)) {
    return 1;
  }
  if (request.threads) {
    return *request.threads;
  }
  for (const char* name : {"OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"}) {
    if (const int threads = std::atoi(world.variable(name).c_str()); threads > 0) {
      return threads;
    }
  }
  return world.cores();
}

/// Returns the part of a profile that suits this library and number of threads best. The library counts first, then the threads.
program::Profile best_place(std::vector<program::Profile> places, const fs::path& blas, int threads) {
  const auto distance = [&](const program::Profile& place) {
    const bool other_library = !blas.empty() && !in_same_folder(blas, place.environment.blas.path);
    return std::pair(other_library, std::abs(place.environment.threads - threads));
  };
  return *std::min_element(places.begin(), places.end(),
                           [&](const program::Profile& a, const program::Profile& b) { return distance(a) < distance(b); });
}

/// Notes that the profile holds nothing for the library that was asked for, or for the number of threads.
void warn_of_place(const Environment& tuned, const RunRequest& request, const fs::path& blas, int threads, const RunContext& context) {
  if (tuned.blas.path.empty() || blas.empty()) {
    return;
  }
  const bool other_library = !in_same_folder(blas, tuned.blas.path);
  const std::string remedy = fmt::format("'flopcast tune ROUTINE --n 200:3200{} --threads {} --save' tunes for that",
                                         request.blas.empty() ? "" : " --blas " + request.blas, threads);
  if (other_library && !request.blas.empty()) {  // the program's own library is known only afterwards
    context.note(fmt::format("the profile holds no block sizes for {}, but for {} with {}, which are used; {}", blas.string(),
                             tuned.blas.path, counted(tuned.threads, "thread"), remedy));
  } else if (!other_library && tuned.threads != threads) {
    context.note(fmt::format("the profile's block sizes hold for {} of BLAS, and {} are expected; {}", counted(tuned.threads, "thread"),
                             threads, remedy));
  }
}

/// Returns the settings to run with if there is no profile. Throws bad_input if nothing at all is to be set.
program::Profile without_profile(const RunRequest& request, const std::string& file, const program::LibraryFiles& chosen,
                                 const RunWorld& world, const RunContext& context) {
  program::Profile profile;
  const std::string lacking = missing_profile(file, request.profile);
  profile.settings = request.profile.empty() ? kernels_alone(request, world) : KernelSettings();
  const bool chosen_otherwise = request.profile.empty() && (!chosen.blas.empty() || !chosen.lapack.empty() || request.threads);
  if (profile.settings.empty() && !chosen_otherwise) {
    throw bad_input("{}", lacking);
  }
  context.note(fmt::format("the program runs with {}LAPACK's own block sizes, as {}",
                           profile.settings.empty() ? "" : format_settings(profile.settings) + " and ", lacking));
  return profile;
}

/// Adds to the user's place the routines that only the system's wisdom has for the same libraries and threads.
program::Profile with_systems_routines(program::Profile own, const std::vector<program::Profile>& systems) {
  for (const program::Profile& place : systems) {
    for (const program::TunedRoutine& routine : place.routines) {
      const bool is_own = std::any_of(own.routines.begin(), own.routines.end(), [&](const program::TunedRoutine& one) {
        return one.name == routine.name && one.flags == routine.flags;
      });
      if (program::same_place(place.environment, own.environment) && !is_own) {
        own.set(routine);
      }
    }
  }
  return own;
}

/// Returns the user's places and below them those of the system's wisdom. A profile of another machine is left out if the system has one
/// for this machine.
std::vector<program::Profile> known_places(const RunRequest& request, const std::string& file, const RunWorld& world) {
  std::vector<program::Profile> places =
      file == "-" || fs::exists(file) ? program::places(program::read_profile(file)) : std::vector<program::Profile>();
  if (!request.profile.empty()) {
    return places;
  }
  const std::vector<program::Profile> systems = world.system_profiles();
  if (!systems.empty() && !request.other_machine) {
    std::erase_if(places, [cpu = world.cpu()](const program::Profile& place) { return place.environment.cpu != cpu; });
  }
  for (program::Profile& place : places) {
    place = with_systems_routines(std::move(place), systems);
  }
  places.insert(places.end(), systems.begin(), systems.end());
  return places;
}

}  // namespace

std::string missing_profile(const std::string& file, const std::string& requested) {
  return fmt::format("there is no profile {}; make one with: flopcast tune dgeqrf --n 200:3200 {}", file,
                     requested.empty() ? "--save" : "--profile " + requested);
}

program::Profile profile_for(const RunRequest& request, const program::LibraryFiles& chosen, const RunWorld& world,
                             const RunContext& context) {
  const std::string file = request.profile.empty() ? world.default_profile() : request.profile;
  std::vector<program::Profile> places = known_places(request, file, world);
  if (places.empty()) {
    return without_profile(request, file, chosen, world, context);
  }
  const fs::path blas = expected_blas(chosen, world);
  const int threads = expected_threads(request, blas, world);
  program::Profile profile = best_place(std::move(places), blas, threads);
  const std::string cpu = world.cpu();
  if (profile.environment.cpu != cpu && !request.other_machine) {
    throw bad_input(
        "profile {} was made on another machine ('{}', this is '{}'); tune again here, or use it all the same with --other-machine", file,
        profile.environment.cpu, cpu);
  }
  if (request.kernels == "library") {
    profile.settings.clear();
  }
  warn_of_place(profile.environment, request, blas, threads, context);
  profile.settings.merge(further_kernels(request, profile.environment.blas, world));
  return profile;
}

}  // namespace flopcast
