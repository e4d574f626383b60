#include "flopcast/program/library_links.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "flopcast/support/error.hpp"
#include "flopcast/support/process_environment.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;

/// Names by which programs load libraries of that width of integers.
const char* blas_name(bool wide) { return wide ? "libblas64.so.3" : "libblas.so.3"; }
const char* lapack_name(bool wide) { return wide ? "liblapack64.so.3" : "liblapack.so.3"; }

fs::path existing(const fs::path& file) {
  std::error_code error;
  fs::path resolved = fs::canonical(file, error);
  if (error) {
    throw environment_error("library {} can't be opened: {}", file.string(), error.message());
  }
  return resolved;
}

/// Returns the file with the BLAS alone that lies beside libraries such as OpenBLAS, or `blas` itself if there is none. Otherwise the
/// LAPACK inside the library would be found before the chosen one.
fs::path blas_alone(const fs::path& blas, bool wide) {
  std::error_code none;
  const fs::path alone = blas.parent_path() / blas_name(wide);
  return fs::exists(alone, none) ? alone : blas;
}

/// Returns the folders in which R looks for its own libraries: the user's choice, else the usual places of installation. R's script drops
/// its own list when one is given.
std::string r_libraries(const std::vector<std::string>& environment) {
  std::string path = process::variable(environment, "R_LD_LIBRARY_PATH");
  if (!path.empty()) {
    return path;
  }
  const std::string home = process::variable(environment, "R_HOME");
  for (const std::string& folder : {home, std::string("/usr/lib/R"), std::string("/usr/lib64/R"), std::string("/usr/local/lib/R")}) {
    std::error_code none;
    if (!folder.empty() && fs::exists(folder + "/lib", none)) {
      path += (path.empty() ? "" : ":") + folder + "/lib";
    }
  }
  return path;
}

}  // namespace

void make_link_folder(const fs::path& folder) {
  if (!is_listable(folder)) {
    throw environment_error("links to libraries can't lie in '{}': its path has a blank or another character that separates paths",
                            folder.string());
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw environment_error("can't make the folder {} for links to libraries: {}", folder.string(), error.message());
  }
}

fs::path keep_link(const fs::path& folder, const std::string& name, const fs::path& target) {
  fs::path link = folder / name;
  std::error_code error;
  if (fs::read_symlink(link, error) == target && !error) {
    return link;
  }
  const fs::path fresh = folder / fmt::format("{}.{}", name, ::getpid());  // renamed, so that running programs always find one of both
  error.clear();
  fs::create_symlink(target, fresh, error);
  if (!error) {
    fs::rename(fresh, link, error);
  }
  if (error) {
    throw environment_error("can't link {} in {}: {}", target.string(), folder.string(), error.message());
  }
  return link;
}

LibraryLinks::LibraryLinks(const LibraryFiles& files) : scratch_(std::in_place), folder_(scratch_->path()) { link_all(files); }

LibraryLinks::LibraryLinks(const LibraryFiles& files, const fs::path& folder) : folder_(folder) {
  make_link_folder(folder);
  link_all(files);
}

fs::path LibraryLinks::link(const std::string& name, const fs::path& target) const {
  return scratch_ ? scratch_->link(name, target) : keep_link(folder_, name, target);
}

void LibraryLinks::link_all(const LibraryFiles& files) {
  files_.blas = files.blas.empty() ? fs::path() : existing(files.blas);
  files_.lapack = files.lapack.empty() ? files_.blas : existing(files.lapack);
  if (!files_.blas.empty() && files_.blas != files_.lapack) {
    files_.blas = blas_alone(files_.blas, files.wide);
  }
  files_.wide = files.wide;
  for (const auto& [name, file] : {std::pair(blas_name(files.wide), files_.blas), std::pair(lapack_name(files.wide), files_.lapack)}) {
    if (!file.empty()) {
      link(name, file);
      const fs::path beside = file.parent_path();
      own_folders_.push_back(is_listable(beside) ? beside : link(std::string("beside-") + name, beside));
    }
  }
}

std::string LibraryLinks::search_path(const std::string& before) const {
  std::string path = folder_.string();
  for (const fs::path& folder : own_folders_) {
    path += ':' + folder.string();
  }
  return before.empty() ? path : path + ":" + before;
}

std::vector<fs::path> LibraryLinks::passed_over(const std::vector<LoadedLibrary>& loaded) const {
  std::vector<fs::path> links;
  for (const auto& [name, file] : {std::pair(blas_name(files_.wide), files_.blas), std::pair(lapack_name(files_.wide), files_.lapack)}) {
    const bool passed_over =
        !file.empty() && std::any_of(loaded.begin(), loaded.end(), [&, &name = name, &file = file](const auto& library) {
          std::error_code none;
          return fs::path(library.name).filename() == name && !fs::equivalent(library.path, file, none);
        });
    if (passed_over) {
      links.push_back(folder_ / name);
    }
  }
  return links;
}

void LibraryLinks::put_first(std::vector<std::string>& environment) const {
  process::set_variable(environment, "LD_LIBRARY_PATH", search_path(process::variable(environment, "LD_LIBRARY_PATH")));
  process::set_variable(environment, "R_LD_LIBRARY_PATH", search_path(r_libraries(environment)));
}

}  // namespace flopcast::program
