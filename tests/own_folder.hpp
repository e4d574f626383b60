#pragma once

#include <stdlib.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

/// Parts of tests that run programs through a shell.
namespace flopcast::tests {

/// Returns the bytes of a file; an empty text if it can't be read.
inline std::string contents(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// A new folder that is removed with its contents at the end of the scope.
class OwnFolder {
 public:
  OwnFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "flopcast-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("can't make a folder for a test");
    }
    path_ = name;
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  ~OwnFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

/// Outcome of a program.
struct Result {
  int exit_code = 0;
  std::string out, err;
};

/// Runs a command line of the shell in `folder`, which gets the files `out` and `err`.
inline Result run_in(const std::filesystem::path& folder, const std::string& command) {
  const int status = std::system(("cd '" + folder.string() + "' && { " + command + "; } >out 2>err").c_str());
  return {WEXITSTATUS(status), contents(folder / "out"), contents(folder / "err")};
}

}  // namespace flopcast::tests
