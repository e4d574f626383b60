#pragma once

#include <filesystem>
#include <string>

namespace flopcast::interpose {

/// Whether the dynamic linker takes `path` as one whole in its lists: LD_PRELOAD is split at blanks and colons, LD_LIBRARY_PATH at colons and
/// semicolons, and $ORIGIN and its like are replaced in both.
bool is_listable(const std::filesystem::path& path);

/// A private folder for links whose path is listable; removed with this object.
class LinkFolder {
 public:
  /// Makes it in TMPDIR, or where that path isn't listable in /tmp, /var/tmp or /dev/shm. Throws environment_error if it can't be made.
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

}  // namespace flopcast::interpose
