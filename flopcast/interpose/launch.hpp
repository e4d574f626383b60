#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace flopcast::interpose {

/// The file that `command` names, as the shell finds it. Throws environment_error if there is none or it can't be executed.
std::filesystem::path find_program(const std::string& command);

/// Checks that libraries can be preloaded into `program` (a script: into its interpreter). Throws environment_error saying why not: linked
/// statically, for another machine or another C library, or running with another user's rights.
void require_preloadable(const std::filesystem::path& program);

/// Runs `arguments` (the first names the program) with `environment`, passes signals on to it and waits for its end. Returns its exit code,
/// or 128 plus the number of the signal that ended it, as a shell does. Standard input and output are the program's own. Where
/// this process ends before it, even by a signal that nobody can catch, the system sends it the signal `last`, if that isn't 0. Throws
/// environment_error if it can't be started.
int run_program(const std::filesystem::path& program, std::vector<std::string> arguments, std::vector<std::string> environment,
                int last = 0);

}  // namespace flopcast::interpose
