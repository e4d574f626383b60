#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/cli/shared/option_set.hpp"

namespace flopcast::cli {

/// Returns "unknown command 'tun'; did you mean 'tune'?" for the nearest of `commands`.
std::string unknown_command(const std::string& given, const std::vector<std::string>& commands);

/// The command line of a program: its options and commands, and the parsing of the program's arguments.
class CommandLine {
 public:
  /// `program` is the name in the help text and in messages.
  CommandLine(const std::string& program, const std::string& description);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// Returns the options of the program itself. They may be used as long as the command line exists.
  [[nodiscard]] OptionSet options();

  /// Adds --version, which prints `text`.
  void version(const std::string& text);

  /// Parses the arguments, sets the bound variables and runs the action of the command that is given. Returns nothing if the program is to
  /// go on. Returns 0 after --help, --help-all and --version, whose text is printed on standard output. Returns 2 for a command line that is refused;
  /// the reason and the names that were probably meant are printed on standard error. Passes on what actions and checks throw.
  [[nodiscard]] std::optional<int> parse(int argc, char** argv);

  /// Parses the arguments and runs `work`. Returns the exit code: that of parse(), 0 after `work`, or the code of an Error, whose message is
  /// printed on standard error.
  [[nodiscard]] int run(int argc, char** argv, const std::function<void()>& work);

 private:
  NotesOfOptions notes_;
  std::unique_ptr<CLI::App> app_;
};

}  // namespace flopcast::cli
