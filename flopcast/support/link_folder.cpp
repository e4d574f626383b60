#include "flopcast/support/link_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;

fs::path make_folder() {
  std::string failures;
  for (const fs::path& parent : {fs::temp_directory_path(), fs::path("/tmp"), fs::path("/var/tmp"), fs::path("/dev/shm")}) {
    std::string name = (parent / "flopcast-libraries-XXXXXX").string();
    if (!is_listable(parent)) {
      failures += fmt::format("; {}: its path has a blank or another character that separates paths", parent.string());
    } else if (mkdtemp(name.data()) != nullptr) {
      return name;
    } else {
      failures += fmt::format("; {}: {}", parent.string(), std::strerror(errno));
    }
  }
  throw environment_error("can't make a folder for links to libraries{}. Set TMPDIR to a folder that can be written to", failures);
}

}  // namespace

bool is_listable(const fs::path& path) { return path.string().find_first_of(" \t\n:;$") == std::string::npos; }

LinkFolder::LinkFolder() : path_(make_folder()) {}

LinkFolder::LinkFolder(LinkFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

LinkFolder::~LinkFolder() {
  if (!path_.empty()) {
    std::error_code none;
    fs::remove_all(path_, none);
  }
}

fs::path LinkFolder::link(const std::string& name, const fs::path& target) const {
  std::error_code error;
  fs::create_symlink(target, path_ / name, error);
  if (error) {
    throw environment_error("can't link {} in {}: {}", target.string(), path_.string(), error.message());
  }
  return path_ / name;
}

}  // namespace flopcast
