#include "flopcast/interpose/library_links.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "flopcast/core/error.hpp"

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

/// Libraries such as OpenBLAS bring a LAPACK of their own; where a file with the BLAS alone lies beside them it is taken, lest their LAPACK be found before the chosen one.
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
      path += ":" + file.parent_path().string();
    }
  }
  return before.empty() ? path : path + ":" + before;
}

}  // namespace flopcast::interpose
