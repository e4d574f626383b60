#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "flopcast/program/loaded_libraries.hpp"
#include "flopcast/program/recorder.hpp"
#include "flopcast/support/scratch.hpp"

namespace flopcast::program {

/// A private folder in which libblas.so.3 and liblapack.so.3 (or libblas64.so.3 and liblapack64.so.3) are links to chosen libraries, for
/// use in LD_LIBRARY_PATH. The folder is removed with this object.
class LibraryLinks {
 public:
  /// Links the names of `files`. A name whose file is empty isn't linked, and the loader's own choice holds. Throws environment_error if a
  /// file doesn't exist or the folder can't be made.
  explicit LibraryLinks(const LibraryFiles& files);
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
  ScratchFolder folder_;
  LibraryFiles files_;
  std::vector<std::filesystem::path> own_folders_;  ///< folders of the libraries, or links to them
};

}  // namespace flopcast::program
