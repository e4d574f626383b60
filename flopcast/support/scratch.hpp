#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace flopcast {

/// Returns whether `path` can stand as one entry in the dynamic linker's lists and as one word in the options of other programs. The
/// linker splits LD_PRELOAD at blanks and colons and LD_LIBRARY_PATH at colons and semicolons, and it replaces $ORIGIN and similar tokens
/// in both.
bool is_listable(const std::filesystem::path& path);

/// A private folder for temporary files and links, whose path is listable. The folder and its contents are removed with this object.
class ScratchFolder {
 public:
  /// Makes the folder in TMPDIR or, where that isn't possible or its path isn't listable, in /tmp, /var/tmp or /dev/shm. Throws
  /// environment_error if none of them works, or if TMPDIR names no directory.
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Returns the path of a file in the folder. The file needn't exist.
  [[nodiscard]] std::string file(std::string_view name) const;
  /// Writes a file into the folder and returns its path. Throws environment_error if that fails.
  std::string write(std::string_view name, std::string_view text) const;
  /// Makes a link and returns its path. Throws environment_error if that fails.
  std::filesystem::path link(const std::string& name, const std::filesystem::path& target) const;

 private:
  std::filesystem::path path_;
};

}  // namespace flopcast
