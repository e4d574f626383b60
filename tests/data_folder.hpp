#pragma once

#include <cstdlib>
#include <filesystem>
#include <list>
#include <optional>
#include <string>

#include "tests/own_folder.hpp"

/// Tests without a usable folder for the user's data.
namespace flopcast::tests {

/// Sets a variable of the environment until the end of the scope.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) {
      before_ = before;
    }
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// Makes `data` the folder for the user's data until the end of the scope; an empty name stands for none. Caches of this machine are found as
/// other tests have measured them.
class DataFolder {
 public:
  explicit DataFolder(const std::string& data) {
    const std::filesystem::path copies = folder_.path() / "flopcast";
    std::filesystem::create_directory(copies);
    if (const char* home = std::getenv("FLOPCAST_HOME")) {
      for (const auto& entry : std::filesystem::directory_iterator(home)) {
        if (entry.path().filename().string().rfind("machine-", 0) == 0) {
          std::filesystem::copy(entry.path(), copies / entry.path().filename());
        }
      }
    }
    variables_.emplace_back("FLOPCAST_HOME", "");  // an empty variable is one that isn't set
    variables_.emplace_back("HOME", "");
    variables_.emplace_back("XDG_DATA_HOME", data);
    variables_.emplace_back("XDG_CACHE_HOME", folder_.path().string());
  }

 private:
  OwnFolder folder_;
  std::list<Variable> variables_;
};

}  // namespace flopcast::tests
