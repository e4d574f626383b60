#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "flopcast/interpose/recorder.hpp"

namespace flopcast::interpose {

/// A private folder in which libblas.so.3 and liblapack.so.3 are links to chosen libraries, for LD_LIBRARY_PATH; removed with this object.
class LibraryLinks {
 public:
  /// Where one of `files` is empty its name is not linked, and the loader's own choice holds. Throws bad_input if a file doesn't exist,
  /// environment_error if the folder can't be made.
  explicit LibraryLinks(const LibraryFiles& files);
  LibraryLinks(LibraryLinks&& other) noexcept;
  LibraryLinks& operator=(LibraryLinks&&) = delete;
  ~LibraryLinks();

  /// Value for LD_LIBRARY_PATH: the links, then the libraries' own folders, for what they need themselves, then `before` (its value so
  /// far).
  [[nodiscard]] std::string search_path(const std::string& before) const;
  /// Sets LD_LIBRARY_PATH to that, and R_LD_LIBRARY_PATH, which R's start script puts before it (there the system's own BLAS would be found
  /// first).
  void put_first(std::vector<std::string>& environment) const;

 private:
  std::filesystem::path folder_;
  LibraryFiles files_;
};

}  // namespace flopcast::interpose
