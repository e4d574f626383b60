#include "flopcast/support/scratch.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "flopcast/support/descriptor.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;

/// Returns TMPDIR, or /tmp where it isn't set. Throws environment_error if it names no directory.
fs::path chosen_parent() {
  const char* given = std::getenv("TMPDIR");
  fs::path parent = given != nullptr && *given != '\0' ? given : "/tmp";
  if (std::error_code none; !fs::is_directory(parent, none)) {
    throw environment_error("TMPDIR is '{}', which is no directory", parent.string());
  }
  return parent;
}

fs::path make_folder() {
  std::string failures;
  for (const fs::path& parent : {chosen_parent(), fs::path("/tmp"), fs::path("/var/tmp"), fs::path("/dev/shm")}) {
    std::string name = (parent / "flopcast-XXXXXX").string();
    if (!is_listable(parent)) {
      failures += fmt::format("; {}: its path has a blank or another character that separates paths", parent.string());
    } else if (mkdtemp(name.data()) != nullptr) {
      return name;
    } else {
      failures += fmt::format("; {}: {}", parent.string(), std::strerror(errno));
    }
  }
  throw environment_error("can't make a folder for temporary files{}. Set TMPDIR to a folder that can be written to", failures);
}

}  // namespace

bool is_listable(const fs::path& path) { return path.string().find_first_of(" \t\n:;$") == std::string::npos; }

ScratchFolder::ScratchFolder() : path_(make_folder()) {}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

ScratchFolder::~ScratchFolder() {
  if (!path_.empty()) {
    std::error_code none;
    fs::remove_all(path_, none);
  }
}

std::string ScratchFolder::file(std::string_view name) const { return (path_ / name).string(); }

std::string ScratchFolder::write(std::string_view name, std::string_view text) const {
  std::string path = file(name);
  const Descriptor opened(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (opened.get() < 0 || !write_all(opened.get(), text)) {
    throw environment_error("can't write {}: {}", path, std::strerror(errno));
  }
  return path;
}

fs::path ScratchFolder::link(const std::string& name, const fs::path& target) const {
  std::error_code error;
  fs::create_symlink(target, path_ / name, error);
  if (error) {
    throw environment_error("can't link {} in {}: {}", target.string(), path_.string(), error.message());
  }
  return path_ / name;
}

}  // namespace flopcast
