#include "flopcast/cli/mpi_kernels.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "flopcast/cli/kernel_choice.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/core/error.hpp"
#include "flopcast/interpose/launch.hpp"
#include "flopcast/interpose/mpi_run.hpp"
#include "flopcast/machine/inspect.hpp"
#include "flopcast/machine/installed.hpp"
#include "flopcast/model/store.hpp"

namespace flopcast::cli {
namespace {

namespace fs = std::filesystem;

/// Processes of a node that share a store pass one after the other while they have such an object.
class Turn {
 public:
  explicit Turn(const fs::path& file) : file_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (file_ >= 0) {
      flock(file_, LOCK_EX);
    }
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (file_ >= 0) {
      close(file_);
    }
  }

 private:
  int file_;
};

bool user_has_chosen() {
  const std::vector<machine::KernelChoice>& all = machine::kernel_choices();
  return std::any_of(all.begin(), all.end(),
                     [](const machine::KernelChoice& choice) { return std::getenv(std::string(choice.variable).c_str()) != nullptr; });
}

/// Whether `file` is that library, or the same variant's by the general name: `openblas-pthread/libblas.so.3`.
bool stands_for(const fs::path& file, const machine::InstalledLibrary& library) {
  const fs::path known = library.path;
  const bool has_general_name = file.filename().string().rfind("libblas.so", 0) == 0;
  return library.has_blas && (known == file || (has_general_name && known.parent_path() == file.parent_path()));
}

/// The file of the BLAS that the program is linked with; empty if there is none. Where one library has the interface and needs another that has
/// the kernels, the loader names the latter last.
fs::path linked_blas(const fs::path& program) {
  fs::path blas;
  const std::vector<machine::InstalledLibrary> installed = machine::installed_libraries();
  for (const fs::path& library : interpose::linked_libraries(program)) {
    std::error_code none;
    const fs::path file = fs::canonical(library, none);
    const auto found =
        std::find_if(installed.begin(), installed.end(), [&](const machine::InstalledLibrary& each) { return stands_for(file, each); });
    blas = found != installed.end() ? fs::path(found->path) : blas;
  }
  return blas;
}

KernelSettings suitable_kernels(const fs::path& program, const CommonOptions& common) {
  const fs::path blas = linked_blas(program);
  if (blas.empty()) {
    const KernelSettings known = known_kernels({});
    if (!known.empty()) {
      note(fmt::format("flopcast: the program runs with {}, by which libraries that misread this CPU choose better kernels (--kernels "
                       "library leaves it)",
                       text_of(known)),
           common);
    }
    return known;
  }
  const fs::path store = model::default_store_path();
  fs::create_directories(store.parent_path());
  const Turn turn(store.parent_path() / "kernel-choice.lock");
  return better_kernels(blas, "which is set for the program", run_context(common));
}

}  // namespace

void add_mpi_kernels_option(CLI::App& command, std::string& kernels) {
  command
      .add_option("--kernels", kernels,
                  "auto: where the program's BLAS misreads the CPU, the kernels found best by trying; library: as it comes (default: auto)")
      ->check(CLI::IsMember({"auto", "library"}));
}

void set_kernels_of(const std::string& program, const std::string& kernels, const CommonOptions& common) {
  if (kernels == "library" || user_has_chosen()) {
    return;
  }
  const fs::path file = interpose::find_program(program);
  try {
    for (const auto& [variable, value] : suitable_kernels(file, common)) {
      ::setenv(variable.c_str(), value.c_str(), 1);
    }
  } catch (const Error& error) {
    note(fmt::format("flopcast: whether the BLAS misreads this CPU can't be found out: {}", error.what()), common);
  } catch (const fs::filesystem_error& error) {
    note(fmt::format("flopcast: whether the BLAS misreads this CPU can't be found out: {}", error.what()), common);
  }
}

}  // namespace flopcast::cli
