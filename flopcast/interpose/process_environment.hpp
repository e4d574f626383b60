#pragma once

#include <string>
#include <vector>

/// Environments for processes that we start, as lists of NAME=value.
namespace flopcast::interpose {

std::vector<std::string> current_environment();
/// Value of variable `name`, empty if it isn't set.
std::string variable(const std::vector<std::string>& environment, const std::string& name);
void set_variable(std::vector<std::string>& environment, const std::string& name, const std::string& value);
/// Null-terminated list for exec and posix_spawn, valid while `strings` is.
std::vector<char*> pointers(std::vector<std::string>& strings);

}  // namespace flopcast::interpose
