#include "flopcast/tasks/mpi/program_kernels.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "flopcast/machine/libraries/inspect_library.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/program/launch.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/mpi/run.hpp"
#include "flopcast/tasks/mpi/smpi_run.hpp"
#include "flopcast/workbench/kernel_choice.hpp"
#include "flopcast/workbench/recorded_kernels.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;

/// Lets processes of a node that share a store pass one after the other.
class KernelTurn {
 public:
  explicit KernelTurn(const fs::path& file) : file_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (file_ >= 0) {
      flock(file_, LOCK_EX);
    }
  }
  KernelTurn(const KernelTurn&) = delete;
  KernelTurn& operator=(const KernelTurn&) = delete;
  ~KernelTurn() {
    if (file_ >= 0) {
      close(file_);
    }
  }

 private:
  int file_;
};

/// Returns whether `file` is that library, or has the general name of the same variant: `openblas-pthread/libblas.so.3`.
bool stands_for(const fs::path& file, const machine::InstalledLibrary& library) {
  const fs::path known = library.path;
  const bool has_general_name = file.filename().string().rfind("libblas.so", 0) == 0;
  return library.has_blas && (known == file || (has_general_name && known.parent_path() == file.parent_path()));
}

/// Returns the file of the BLAS that the program is linked with; empty if there is none. If one library has the interface and needs another
/// that has the kernels, the loader names the library with the kernels last.
fs::path linked_blas(const fs::path& program) {
  fs::path blas;
  const std::vector<machine::InstalledLibrary> installed = machine::installed_libraries();
  for (const fs::path& library : is_built_for_smpi(program) ? simulated_libraries(program) : linked_libraries(program)) {
    std::error_code none;
    const fs::path file = fs::canonical(library, none);
    const auto found =
        std::find_if(installed.begin(), installed.end(), [&](const machine::InstalledLibrary& each) { return stands_for(file, each); });
    blas = found != installed.end() ? fs::path(found->path) : blas;
  }
  return blas;
}

/// Returns the turn at trying kernels.
KernelTurn turn() {
  const fs::path store = model::default_store_path();
  fs::create_directories(store.parent_path());
  return KernelTurn(store.parent_path() / "kernel-choice.lock");
}

/// Tells the user if the environment selects slow kernels of `blas`.
void note_environment(const fs::path& blas, const RunContext& context) {
  const KernelTurn mine = turn();
  if (const std::string remark = environment_remark(blas, context); !remark.empty()) {
    context.note("flopcast: " + remark);
  }
}

KernelSettings suitable_kernels(const fs::path& program, const RunContext& context) {
  const fs::path blas = linked_blas(program);
  if (blas.empty()) {
    KernelSettings known = known_kernels({});
    if (!known.empty()) {
      context.note(fmt::format(
          "flopcast: the program runs with {}, so that libraries that detect the wrong CPU choose better kernels. --kernels library "
          "leaves the choice to the library",
          format_settings(known)));
    }
    return known;
  }
  if (!in_force(blas).empty()) {
    if (is_first_process()) {
      note_environment(blas, context);
    }
    return {};
  }
  const KernelTurn mine = turn();
  return better_kernels(blas, "which is set for the program", context);
}

}  // namespace

void set_kernels_of(const std::string& program, bool tuned, const RunContext& context) {
  if (!tuned) {
    return;
  }
  const fs::path file = program::find_program(program);
  try {
    for (const auto& [variable, value] : suitable_kernels(file, context)) {
      ::setenv(variable.c_str(), value.c_str(), 1);
    }
  } catch (const Error& error) {
    context.note(fmt::format("flopcast: the kernels that suit this CPU can't be found out: {}", error.what()));
  } catch (const fs::filesystem_error& error) {
    context.note(fmt::format("flopcast: the kernels that suit this CPU can't be found out: {}", error.what()));
  }
}

}  // namespace flopcast
