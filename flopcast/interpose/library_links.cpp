#include "flopcast/interpose/library_links.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "flopcast/core/error.hpp"
#include "flopcast/interpose/process_environment.hpp"

namespace flopcast::interpose {
namespace {

namespace fs = std::filesystem;

constexpr const char* blas_name = "libblas.so.3";
constexpr const char* lapack_name = "liblapack.so.3";

fs::path existing(const fs::path& file) {
  std::error_code error;
  fs::path resolved = fs::canonical(file, error);
  if (error) {
    throw bad_input("library {}: {}", file.string(), error.message());
  }
  return resolved;
}

/// Libraries such as OpenBLAS bring a LAPACK of their own; where a file with the BLAS alone lies beside them it is taken, lest their LAPACK
/// be found before the chosen one.
fs::path blas_alone(const fs::path& blas) {
  std::error_code none;
  const fs::path alone = blas.parent_path() / blas_name;
  return fs::exists(alone, none) ? alone : blas;
}

fs::path make_folder() {
  std::string name = (fs::temp_directory_path() / "flopcast-libraries-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw environment_error("can't make a folder {}: {}", name, std::strerror(errno));
  }
  return name;
}

/// Where R looks for its own libraries: as the user says, else where installations have them; R's script does without its own list when it
/// is given one.
std::string r_libraries(const std::vector<std::string>& environment) {
  std::string path = variable(environment, "R_LD_LIBRARY_PATH");
  if (!path.empty()) {
    return path;
  }
  const std::string home = variable(environment, "R_HOME");
  for (const std::string& folder : {home, std::string("/usr/lib/R"), std::string("/usr/lib64/R"), std::string("/usr/local/lib/R")}) {
    std::error_code none;
    if (!folder.empty() && fs::exists(folder + "/lib", none)) {
      path += (path.empty() ? "" : ":") + folder + "/lib";
    }
  }
  return path;
}

}  // namespace

LibraryLinks::LibraryLinks(const LibraryFiles& files) {
  files_.blas = files.blas.empty() ? fs::path() : existing(files.blas);
  files_.lapack = files.lapack.empty() ? files_.blas : existing(files.lapack);
  if (!files_.blas.empty() && files_.blas != files_.lapack) {
    files_.blas = blas_alone(files_.blas);
  }
  folder_ = make_folder();
  std::error_code error;
  for (const auto& [name, file] : {std::pair(blas_name, files_.blas), std::pair(lapack_name, files_.lapack)}) {
    if (!file.empty() && !error) {
      fs::create_symlink(file, folder_ / name, error);
    }
  }
  if (error) {
    fs::remove_all(folder_);
    throw environment_error("can't link libraries in {}: {}", folder_.string(), error.message());
  }
}

LibraryLinks::LibraryLinks(LibraryLinks&& other) noexcept : folder_(std::exchange(other.folder_, {})), files_(std::move(other.files_)) {}

LibraryLinks::~LibraryLinks() {
  if (!folder_.empty()) {
    std::error_code none;
    fs::remove_all(folder_, none);
  }
}

std::string LibraryLinks::search_path(const std::string& before) const {
  std::string path = folder_.string();
  for (const fs::path& file : {files_.blas, files_.lapack}) {
    if (!file.empty()) {
      path += ':';
      path += file.parent_path().string();
    }
  }
  return before.empty() ? path : path + ":" + before;
}

void LibraryLinks::put_first(std::vector<std::string>& environment) const {
  set_variable(environment, "LD_LIBRARY_PATH", search_path(variable(environment, "LD_LIBRARY_PATH")));
  set_variable(environment, "R_LD_LIBRARY_PATH", search_path(r_libraries(environment)));
}

}  // namespace flopcast::interpose
