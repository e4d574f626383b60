#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace subject {

/// Reports an invalid command line.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The words after a program's name, which are read option by option; finish() rejects the words that were never read. Where flopcast runs
/// several configurations in one launch, the values of the current configuration replace the given ones.
class CommandLine {
 public:
  CommandLine(int argc, char** argv) : words_(argv + 1, argv + argc), taken_(words_.size()) {}

  bool flag(std::string_view option);
  int integer(std::string_view option, int otherwise, int least);
  /// Returns one of `choices`; the first one if the option isn't given.
  std::string choice(std::string_view option, const std::vector<std::string>& choices);
  /// Returns extents such as 2x3, whose number is `dimensions`; empty if the option isn't given.
  std::optional<std::vector<int>> extents(std::string_view option, std::size_t dimensions);
  void finish() const;

 private:
  std::optional<std::string> value(std::string_view option);

  std::vector<std::string> words_;
  std::vector<bool> taken_;
  std::vector<std::string> known_;
};

}  // namespace subject
