#include "flopcast/support/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "flopcast/support/descriptor.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/whole_file.hpp"

namespace flopcast {
namespace {

std::string shown_name(const std::string& path, const char* standard) { return path == "-" ? standard : "'" + path + "'"; }

void write_open_file(int file, const std::string& name, std::string_view text) {
  if (!write_all(file, text)) {
    if (errno == EPIPE) {
      throw BrokenPipe();
    }
    throw environment_error("cannot write to {}: {}", name, std::strerror(errno));
  }
}

/// Devices, pipes and sockets can't be replaced; they are written to directly.
void write_in_place(const std::string& path, std::string_view text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) {
    throw environment_error("cannot write '{}': {}", path, std::strerror(errno));
  }
  write_open_file(file.get(), "'" + path + "'", text);
}

/// Returns true if there is nothing yet, or a regular file. The path is looked at only once, as other processes may move the file
/// meanwhile.
bool is_replaced(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

/// Returns the file that a chain of symbolic links names, whether it exists or not. Any other path, and a file that another process has
/// moved meanwhile, is returned unchanged.
std::filesystem::path behind_links(const std::string& path) {
  constexpr int max_links = 40;  // the limit of Linux
  std::error_code error;
  std::filesystem::path target = std::filesystem::absolute(path);
  for (int links = 0; links < max_links && std::filesystem::is_symlink(target, error); ++links) {
    target = target.parent_path() / std::filesystem::read_symlink(target, error);
  }
  const std::filesystem::path whole = std::filesystem::weakly_canonical(target, error);
  return error ? target : whole;
}

/// Returns the open file that `path` names, as /dev/stdout and /dev/fd/3 do; -1 for other paths. Such a file may be shared with other
/// processes that append to it: replacing it would lose their output.
int open_file_of(const std::string& path) {
  if (path == "/dev/stdout" || path == "/dev/stderr") {
    return path == "/dev/stdout" ? STDOUT_FILENO : STDERR_FILENO;
  }
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    const std::string_view rest = std::string_view(path).substr(std::min(folder.size(), path.size()));
    int number = -1;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (path.compare(0, folder.size(), folder) == 0 && error == std::errc() && end == rest.data() + rest.size()) {
      return number;
    }
  }
  return -1;
}

}  // namespace

void write_file(const std::string& path, std::string_view text) {
  if (path == "-") {
    write_open_file(STDOUT_FILENO, "standard output", text);
    return;
  }
  if (const int file = open_file_of(path); file >= 0) {
    write_open_file(file, "'" + path + "'", text);
    return;
  }
  if (!is_replaced(path)) {
    write_in_place(path, text);
    return;
  }
  replace_file(behind_links(path).string(), text);  // a symbolic link stays
}

void require_writable(const std::string& path) {
  if (path == "-" || open_file_of(path) >= 0) {
    return;
  }
  const std::filesystem::path target = behind_links(path);
  const std::string changed = is_replaced(target) ? target.parent_path().string() : target.string();
  if (::access(changed.c_str(), W_OK) != 0) {
    throw environment_error("cannot write '{}': {}", path, std::strerror(errno));
  }
}

std::string read_file(const std::string& path) {
  const std::string name = shown_name(path, "standard input");
  const Descriptor file(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    throw bad_input("cannot read {}: {}", name, std::strerror(errno));
  }
  std::string text;
  std::array<char, 1U << 16U> buffer{};
  while (true) {
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count == 0) {
      return text;
    }
    if (count < 0 && errno != EINTR) {
      throw bad_input("cannot read {}: {}", name, std::strerror(errno));
    }
    text.append(buffer.data(), count < 0 ? 0 : static_cast<std::size_t>(count));
  }
}

std::string file_identity(const std::string& path) {
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) {
    return {};
  }
  return fmt::format("{} {} {}.{:09}\n", found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec);
}

nlohmann::json read_json(const std::string& path, WrittenBy author) {
  return parse_json(read_file(path), shown_name(path, "standard input"), author);
}

nlohmann::json read_document(const std::string& path, std::string_view schema, WrittenBy author) {
  nlohmann::json document = read_json(path, author);
  const std::string name = shown_name(path, "standard input");
  require_schema(document, name, schema);
  return document;
}

}  // namespace flopcast
