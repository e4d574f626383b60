#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "flopcast/support/units.hpp"

namespace flopcast::program {

/// Returns the file that `command` names, as the shell finds it. Throws environment_error if the file is missing or can't be executed.
std::filesystem::path find_program(const std::string& command);

/// Returns a text that changes with the program and with the files among a command's words. Throws as find_program() does.
std::string command_identity(const std::vector<std::string>& command);

/// Returns the interpreter that a script names in its first line; empty if `file` is no script.
std::filesystem::path interpreter_of(const std::filesystem::path& file);

/// Checks that libraries can be preloaded into `program`, or into the interpreter of a script. Throws environment_error with the reason:
/// the program is linked statically, is built for another machine or another C library, or runs with another user's rights.
void require_preloadable(const std::filesystem::path& program);

/// Runs `arguments` (the first names the program) with `environment`, passes signals on to the program and waits for its end. Returns its
/// exit code, or 128 plus the number of the signal that ended it, as a shell does. The program shares standard input and output with this
/// process. If this process ends first, even by SIGKILL, the system sends the program the signal `last`, unless `last` is 0. After `limit`
/// seconds, unless these are 0, the program is ended as by ChildSetup::soft_limit. Throws environment_error if the program can't be started.
int run_program(const std::filesystem::path& program, std::vector<std::string> arguments, std::vector<std::string> environment,
                int last = 0, Seconds limit = 0);

}  // namespace flopcast::program
