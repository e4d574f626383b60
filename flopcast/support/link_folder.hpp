#pragma once

#include <filesystem>
#include <string>

namespace flopcast {

/// Returns whether the dynamic linker takes `path` as one entry of its lists. It splits LD_PRELOAD at blanks and colons and LD_LIBRARY_PATH
/// at colons and semicolons, and it replaces $ORIGIN and similar tokens in both.
bool is_listable(const std::filesystem::path& path);

/// A private folder for links whose path is listable. The folder is removed with this object.
class LinkFolder {
 public:
  /// Makes the folder in TMPDIR or, where that path isn't listable, in /tmp, /var/tmp or /dev/shm. Throws environment_error if none of them
  /// works.
  LinkFolder();
  LinkFolder(LinkFolder&& other) noexcept;
  LinkFolder& operator=(LinkFolder&&) = delete;
  ~LinkFolder();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Makes a link and returns its path. Throws environment_error if it can't be made.
  std::filesystem::path link(const std::string& name, const std::filesystem::path& target) const;

 private:
  std::filesystem::path path_;
};

}  // namespace flopcast
