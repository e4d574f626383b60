#include "flopcast/report/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "flopcast/core/error.hpp"

namespace flopcast::report {
namespace {

std::string shown_name(const std::string& path, const char* standard) { return path == "-" ? standard : "'" + path + "'"; }

/// An open file, which is closed with this object.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ > STDERR_FILENO) {
      ::close(number_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const noexcept { return number_; }

 private:
  int number_;
};

/// Returns false, with errno set, if not all of the text could be written.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return false;
    }
    text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
  return true;
}

void write_standard_output(std::string_view text) {
  if (!write_all(STDOUT_FILENO, text)) {
    if (errno == EPIPE) {
      throw BrokenPipe();
    }
    throw environment_error("cannot write to standard output: {}", std::strerror(errno));
  }
}

/// Devices, pipes and sockets can't be replaced; they are written to directly.
void write_in_place(const std::string& path, std::string_view text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0 || !write_all(file.get(), text)) {
    if (errno == EPIPE) {
      throw BrokenPipe();
    }
    throw environment_error("cannot write '{}': {}", path, std::strerror(errno));
  }
}

/// Whether there is nothing yet, or a regular file; looked at once, as other processes may move it meanwhile.
bool is_replaced(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

/// The file that a symbolic link names; others, and what another process has moved meanwhile, are themselves.
std::filesystem::path behind_links(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path);
  const std::filesystem::path target = std::filesystem::weakly_canonical(whole, error);
  return error ? whole : target;
}

/// A file's permissions: those of the file it replaces, else what the umask leaves.
mode_t permissions(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    return status.st_mode & 07777U;
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666U & ~mask;
}

void replace_file(const std::string& path, std::string_view text) {
  std::string temporary = path + ".XXXXXX";
  const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) {
    throw environment_error("cannot write '{}': {}", path, std::strerror(errno));
  }
  const bool written = write_all(file.get(), text) && ::fchmod(file.get(), permissions(path)) == 0 && ::fsync(file.get()) == 0 &&
                       ::rename(temporary.c_str(), path.c_str()) == 0;
  if (!written) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    throw environment_error("cannot write '{}': {}; nothing was written", path, std::strerror(reason));
  }
}

/// Line and column, both from 1, of the byte at `offset`.
std::pair<std::int64_t, std::int64_t> line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n');
  const std::size_t column = line_start == std::string_view::npos ? before.size() + 1 : before.size() - line_start;
  return {std::count(before.begin(), before.end(), '\n') + 1, static_cast<std::int64_t>(column)};
}

/// "flopcast-trace-12" is {"flopcast-trace", 12}; nothing if it doesn't end in a version.
std::optional<std::pair<std::string_view, int>> name_and_version(std::string_view schema) {
  const std::size_t dash = schema.rfind('-');
  if (dash == std::string_view::npos) {
    return std::nullopt;
  }
  const int version = std::atoi(std::string(schema.substr(dash + 1)).c_str());
  return version > 0 ? std::optional(std::pair(schema.substr(0, dash), version)) : std::nullopt;
}

/// To be called by the parser: throws bad_input if an object has two members of one name, of which it would keep the last.
class MembersOnce {
 public:
  explicit MembersOnce(std::string document) : document_(std::move(document)) {}
  bool operator()(int /*depth*/, nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
    switch (event) {
      case nlohmann::json::parse_event_t::object_start: open_.emplace_back(); break;
      case nlohmann::json::parse_event_t::object_end: open_.pop_back(); break;
      case nlohmann::json::parse_event_t::key:
        if (!open_.back().insert(parsed.get<std::string>()).second) {
          throw bad_input("{} has two members {} in one object", document_, parsed.dump());
        }
        break;
      default: break;
    }
    return true;
  }

 private:
  std::string document_;
  std::vector<std::set<std::string>> open_;  ///< names in the objects that have begun
};

}  // namespace

void write_file(const std::string& path, std::string_view text) {
  if (path == "-") {
    write_standard_output(text);
    return;
  }
  if (!is_replaced(path)) {
    write_in_place(path, text);
    return;
  }
  replace_file(behind_links(path).string(), text);  // a symbolic link stays
}

void require_writable(const std::string& path) {
  const std::filesystem::path target = behind_links(path);
  const std::string changed = is_replaced(target) ? target.parent_path().string() : target.string();
  if (path != "-" && ::access(changed.c_str(), W_OK) != 0) {
    throw environment_error("cannot write '{}': {}", path, std::strerror(errno));
  }
}

std::string read_file(const std::string& path) {
  const std::string name = shown_name(path, "standard input");
  const Descriptor file(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
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

nlohmann::json read_json(const std::string& path, WrittenBy author) {
  const std::string text = read_file(path);
  const std::string name = shown_name(path, "standard input");
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw bad_input("{} is empty; expected a JSON document", name);
  }
  try {
    return author == WrittenBy::hand ? nlohmann::json::parse(text, MembersOnce(name)) : nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const std::size_t offset = error.byte > 0 ? error.byte - 1 : 0;
    const auto [line, column] = line_and_column(text, offset);
    if (offset >= text.size()) {
      throw bad_input("{} is cut off: the JSON document ends too early, at line {}, column {} (byte {})", name, line, column, text.size());
    }
    throw bad_input("{} is no JSON document: error at line {}, column {} (byte {})", name, line, column, offset);
  }
}

nlohmann::json read_document(const std::string& path, std::string_view schema, WrittenBy author) {
  nlohmann::json document = read_json(path, author);
  const std::string name = shown_name(path, "standard input");
  if (!document.is_object() || !document.contains("schema") || !document["schema"].is_string()) {
    throw bad_input("{} is no flopcast document: it has no member \"schema\"; expected \"{}\"", name, schema);
  }
  const std::string given = document["schema"];
  if (given == schema) {
    return document;
  }
  const auto have = name_and_version(given), want = name_and_version(schema);
  if (have && want && have->first == want->first && have->second > want->second) {
    throw bad_input("{} was written by a newer flopcast: its schema is \"{}\", this version reads \"{}\"", name, given, schema);
  }
  throw bad_input("{} holds \"{}\"; expected \"{}\"", name, given, schema);
}

}  // namespace flopcast::report
