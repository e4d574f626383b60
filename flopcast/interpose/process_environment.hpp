#pragma once

#include <string>
#include <vector>

/// Environments for processes that we start, as lists of NAME=value.
namespace flopcast::interpose {

std::vector<std::string> current_environment();
/// Value of variable `name`, empty if it isn't set.
std::string variable(const std::vector<std::string>& environment, const std::string& name);
void set_variable(std::vector<std::string>& environment, const std::string& name, const std::string& value);
/// Tells BLAS, whichever it is, how many threads to take.
void set_threads(std::vector<std::string>& environment, int threads);
/// Puts `library` before those that are preloaded already.
void preload(std::vector<std::string>& environment, const std::string& library);
/// Null-terminated list for exec and posix_spawn, valid while `strings` is.
std::vector<char*> pointers(std::vector<std::string>& strings);

}  // namespace flopcast::interpose
