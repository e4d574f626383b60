#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/program/loaded_libraries.hpp"
#include "flopcast/program/recorder.hpp"
#include "flopcast/support/scratch.hpp"

namespace flopcast::program {

/// A folder in which libblas.so.3 and liblapack.so.3 (or libblas64.so.3 and liblapack64.so.3) are links to chosen libraries, for use in
/// LD_LIBRARY_PATH. A private folder is removed with this object, a folder that the caller names stays.
class LibraryLinks {
 public:
  /// Links the names of `files`. A name whose file is empty isn't linked, and the loader's own choice holds. Throws environment_error if a
  /// file doesn't exist or the folder can't be made.
  explicit LibraryLinks(const LibraryFiles& files);
  /// Links them in `folder`, which is made if it doesn't exist. Links that are there already are left if they are right, and replaced if
  /// not. Throws environment_error also if the path of the folder isn't listable.
  LibraryLinks(const LibraryFiles& files, const std::filesystem::path& folder);
  /// Returns a value for LD_LIBRARY_PATH: the links, then the libraries' own folders for their dependencies, then `before` (the value so
  /// far).
  [[nodiscard]] std::string search_path(const std::string& before) const;
  /// Sets LD_LIBRARY_PATH to search_path(). Also sets R_LD_LIBRARY_PATH, which R's start script puts before LD_LIBRARY_PATH; otherwise the
  /// system's own BLAS would be found first.
  void put_first(std::vector<std::string>& environment) const;
  /// Returns the links that the program doesn't use, because `loaded` has other libraries in their place. The causes are a DT_RPATH, which
  /// goes before LD_LIBRARY_PATH, or a library that is requested by its path.
  [[nodiscard]] std::vector<std::filesystem::path> passed_over(const std::vector<LoadedLibrary>& loaded) const;

 private:
  void link_all(const LibraryFiles& files);
  std::filesystem::path link(const std::string& name, const std::filesystem::path& target) const;

  std::optional<ScratchFolder> scratch_;
  std::filesystem::path folder_;
  LibraryFiles files_;
  std::vector<std::filesystem::path> own_folders_;  ///< folders of the libraries, or links to them
};

/// Makes `folder`, which is to hold links that stay. Throws environment_error if that fails or the path isn't listable.
void make_link_folder(const std::filesystem::path& folder);
/// Makes the link `folder`/`name` to `target`, or replaces one that leads elsewhere, in one step. Returns its path. Throws
/// environment_error.
std::filesystem::path keep_link(const std::filesystem::path& folder, const std::string& name, const std::filesystem::path& target);

}  // namespace flopcast::program
