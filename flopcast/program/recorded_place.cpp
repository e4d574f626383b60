#include "flopcast/program/recorded_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/support/anonymous.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;

/// Distributions put a library's libblas.so.3 and liblapack.so.3 into a folder of its own, beside the library: they are known by its name.
std::string installed_name(const std::string& path, machine::Role role, const std::vector<machine::InstalledLibrary>& installed) {
  const auto find = [&](auto accept) {
    return std::find_if(installed.begin(), installed.end(),
                        [&](const machine::InstalledLibrary& library) { return library.has(role) && accept(library); });
  };
  auto at = find([&](const machine::InstalledLibrary& library) { return library.path == path; });
  if (at == installed.end()) {
    at = find(
        [&](const machine::InstalledLibrary& library) { return fs::path(library.path).parent_path() == fs::path(path).parent_path(); });
  }
  return at == installed.end() ? path : at->name;
}

/// The first of the called libraries that defines `routine`, under whatever name.
std::string definer(const std::vector<std::string>& libraries, const char* routine, machine::Role role) {
  const auto at =
      std::find_if(libraries.begin(), libraries.end(), [&](const std::string& path) { return machine::has_routine(path, routine); });
  return at == libraries.end() ? "" : installed_name(*at, role, machine::installed_libraries());
}

/// The BLAS that lies where a called LAPACK does: if all calls of LAPACK were skipped, it called no BLAS.
std::string neighbouring_blas(const std::vector<std::string>& libraries) {
  const std::vector<machine::InstalledLibrary> installed = machine::installed_libraries();
  for (const std::string& path : libraries) {
    if (std::string name = installed_name(path, machine::Role::blas, installed); name != path) {
      return name;
    }
  }
  return "";
}

bool is_here(const std::string& blas) {
  try {
    return !machine::locate(blas, machine::Role::blas).empty();
  } catch (const Error&) {
    return false;
  }
}

/// Returns whether a BLAS that is installed here has one thread only.
bool has_one_thread(const std::string& blas) { return !blas.empty() && is_here(blas) && machine::has_one_thread(blas); }

/// Returns the state that the BLAS reported when it was called first; nullptr if it reported none. A LAPACK may report the state of the BLAS that it needs, so that the library
/// that defines dgemm comes first.
const LibraryState* reporting_state(const ProgramSummary& summary) {
  const LibraryState* found = nullptr;
  for (const LibraryState& state : summary.states) {
    const bool reports = state.threads || !state.kernels.empty();
    if (reports && (found == nullptr || (!machine::has_routine(found->path, "dgemm") && machine::has_routine(state.path, "dgemm")))) {
      found = &state;
    }
  }
  return found;
}

}  // namespace

RecordedPlace recorded_place(const ProgramSummary& summary) {
  RecordedPlace place;
  place.blas = definer(summary.libraries, "dgemm", machine::Role::blas);
  place.blas = place.blas.empty() ? neighbouring_blas(summary.libraries) : place.blas;
  place.lapack = definer(summary.libraries, "dgeqrf", machine::Role::lapack);
  const LibraryState* state = reporting_state(summary);
  place.threads = summary.threads_option ? summary.threads_option : threads_by(summary.thread_variables, place.blas);
  if (state != nullptr) {  // the library itself knows better what became of the variables
    place.threads = state->threads ? state->threads : place.threads;
    place.kernels = state->kernels;
  }
  place.cpu = summary.machine.cpu;
  if (place.threads.value_or(1) > 1 && has_one_thread(place.blas)) {  // whatever was asked for
    place.threads = 1;
  }
  return place;
}

std::string library_name(const std::string& path) {
  const std::vector<machine::InstalledLibrary> installed = machine::installed_libraries();
  const std::string name = installed_name(path, machine::Role::blas, installed);
  return name != path ? name : installed_name(path, machine::Role::lapack, installed);
}

std::string library_here(const std::string& recorded) {
  const fs::path path(recorded);
  if (recorded.empty() || path.is_absolute()) {
    return recorded;
  }
  std::set<std::string> found;
  for (const machine::InstalledLibrary& library : machine::installed_libraries()) {
    const fs::path folder = fs::path(library.path).parent_path(), file = folder / path.filename();
    if (std::error_code none; anonymous_library(file.string()) == recorded && fs::exists(file, none)) {
      found.insert(file.string());
    }
  }
  return found.size() == 1 ? *found.begin() : recorded;
}

bool is_this_machine(const RecordedPlace& place) { return place.cpu == machine::detect_topology().cpu; }

std::string assume_threads(RecordedPlace& place) {
  if (place.threads || place.blas.empty() || !is_this_machine(place)) {
    return "";
  }
  if (!is_here(place.blas)) {
    return "";  // who needs the library says what is wrong with it
  }
  place.threads = has_one_thread(place.blas) ? 1 : machine::detect_topology().usable_cores;
  return *place.threads == 1 ? ""
                             : fmt::format(
                                   "the recording doesn't say how many threads BLAS had: {} are assumed, as {} takes by itself; "
                                   "--threads says otherwise",
                                   *place.threads, place.blas);
}

}  // namespace flopcast::program
