#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "flopcast/interpose/link_folder.hpp"
#include "flopcast/interpose/loaded_libraries.hpp"
#include "flopcast/interpose/recorder.hpp"

namespace flopcast::interpose {

/// A private folder in which libblas.so.3 and liblapack.so.3 (or libblas64.so.3 and liblapack64.so.3) are links to chosen libraries, for LD_LIBRARY_PATH; removed with this object.
class LibraryLinks {
 public:
  /// Where one of `files` is empty its name is not linked, and the loader's own choice holds. Throws environment_error if a file
  /// doesn't exist or the folder can't be made.
  explicit LibraryLinks(const LibraryFiles& files);
  /// Value for LD_LIBRARY_PATH: the links, then the libraries' own folders, for what they need themselves, then `before` (its value so
  /// far).
  [[nodiscard]] std::string search_path(const std::string& before) const;
  /// Sets LD_LIBRARY_PATH to that, and R_LD_LIBRARY_PATH, which R's start script puts before it (there the system's own BLAS would be found
  /// first).
  void put_first(std::vector<std::string>& environment) const;
  /// The links that a program which is started so passes over: what is `loaded` in their place comes from elsewhere, since a DT_RPATH goes
  /// before LD_LIBRARY_PATH, or a library is asked for by its path.
  [[nodiscard]] std::vector<std::filesystem::path> passed_over(const std::vector<LoadedLibrary>& loaded) const;

 private:
  LinkFolder folder_;
  LibraryFiles files_;
  std::vector<std::filesystem::path> own_folders_;  ///< or links to them
};

}  // namespace flopcast::interpose
