#pragma once

#include <string>
#include <vector>

/// Environments for processes that flopcast starts, as lists of NAME=value.
namespace flopcast::process {

std::vector<std::string> current_environment();
/// Returns the value of variable `name`, empty if it isn't set.
std::string variable(const std::vector<std::string>& environment, const std::string& name);
void set_variable(std::vector<std::string>& environment, const std::string& name, const std::string& value);
/// Sets the number of threads for BLAS, in the variables of all known libraries.
void set_threads(std::vector<std::string>& environment, int threads);
/// Puts `library` before the libraries that are preloaded already.
void preload(std::vector<std::string>& environment, const std::string& library);
/// Returns a null-terminated list for exec and posix_spawn, valid as long as `strings` is.
std::vector<char*> pointers(std::vector<std::string>& strings);

}  // namespace flopcast::process
