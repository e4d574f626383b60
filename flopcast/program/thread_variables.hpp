#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Variables of the environment by which users set the threads of a BLAS.
namespace flopcast::program {

/// Values by name, such as {"BLIS_NUM_THREADS", "2"}.
using ThreadVariables = std::map<std::string, std::string>;

/// Returns those that are set in an environment of "NAME=VALUE".
ThreadVariables thread_variables(const std::vector<std::string>& environment);

/// Returns the threads that `blas`, a name or path, takes with these variables: by its own ones, else by OMP_NUM_THREADS. Returns nothing if
/// they don't say.
std::optional<int> threads_by(const ThreadVariables& variables, std::string_view blas);

}  // namespace flopcast::program
